"""Variations for conditions that recur in several chapters."""
