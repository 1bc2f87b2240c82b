"""The pytest plugin: adds options and fixtures, selects items, and records their results."""
