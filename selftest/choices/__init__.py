"""Looks for false alarms: the suites on simulated platforms that answer with anything that is allowed."""
