"""Tests of the cells of error conditions, and of the faults that are planted in their calls."""
