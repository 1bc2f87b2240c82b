"""The suites of one chapter each: valid calls, what makes them wrong, and what its functions do."""
