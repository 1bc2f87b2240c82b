"""Tests of the benchmarks: their counts and tables, not the speed of anything."""
