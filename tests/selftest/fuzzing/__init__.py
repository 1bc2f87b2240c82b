"""Tests of the fuzz target: its kinds of inputs are read, and what mutates them can find something."""
