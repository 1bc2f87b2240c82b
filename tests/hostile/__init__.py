"""Hostile drivers, and tests of runs on these drivers."""
