"""Tests of the simulated platforms: they conform with every topology."""
