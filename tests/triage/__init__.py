"""The committed triage table, which justifies each deviation of a driver, and the commands for it."""
