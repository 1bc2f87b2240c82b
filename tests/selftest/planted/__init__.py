"""Tests of the faults planted into simulated platforms: the suites find each, and blame what it breaks."""
