"""Test suites that generate calls; the judge evaluates the outcomes."""
