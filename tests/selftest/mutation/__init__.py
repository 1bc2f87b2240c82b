"""Tests of mutants: their creation, trials and results."""
