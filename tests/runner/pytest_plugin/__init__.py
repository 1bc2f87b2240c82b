"""Tests of the pytest plugin: complete runs of the suites, selection, progress and budget."""
