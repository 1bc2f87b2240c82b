"""Harness actions: host memory areas, and reads and writes of the host through any pointer."""
