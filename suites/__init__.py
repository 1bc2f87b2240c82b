"""The test suites: they generate calls; the judge evaluates the outcomes."""
