"""Suites for single chapters: valid calls, error conditions, and effects of the functions."""
