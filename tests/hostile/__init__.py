"""Hostile drivers, and what becomes of runs on them."""
