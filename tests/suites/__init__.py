"""Tests of what the suites are made of."""
