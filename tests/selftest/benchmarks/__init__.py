"""Tests of the benchmarks: that they count what they say, not how fast anything is."""
