"""Tests of the pytest plugin: whole runs of the suites, and their budget."""
