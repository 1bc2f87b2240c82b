"""Checks the data of ``clconform.findings`` against the rules, and results of runs against the data."""
