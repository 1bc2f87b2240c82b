"""Tests of the findings on drivers: their data, their pages, and their comparison with results."""
