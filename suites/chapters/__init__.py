"""The suites of one chapter each: valid calls, error conditions, and effects of the functions."""
