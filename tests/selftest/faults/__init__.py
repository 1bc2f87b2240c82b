"""Tests of the faults of simulated platforms: the suites find each fault, and report the violated requirements."""
