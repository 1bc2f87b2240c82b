"""Faults injected between the session and a driver, one at a time, and whether the suites notice them."""
