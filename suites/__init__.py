"""Test suites that make calls. The judge evaluates the outcomes."""
