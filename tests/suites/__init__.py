"""Tests of the building blocks of the suites."""
