"""Search for false alarms: run the suites on simulated platforms that return any allowed outcome."""
