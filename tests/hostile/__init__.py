"""Hostile drivers, and the results of runs on them."""
