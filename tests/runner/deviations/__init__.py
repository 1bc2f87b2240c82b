"""Tests of what is done with a deviation: repeated, made short, replayed, bisected."""
