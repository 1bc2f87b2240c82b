"""Tests of the benchmarks: their counts and tables, not measured speeds."""
