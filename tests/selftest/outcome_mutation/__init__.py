"""Tests of the search for violations of requirements."""
