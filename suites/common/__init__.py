"""Variations for conditions that recur in many chapters."""
