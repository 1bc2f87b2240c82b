"""Judges recorded calls and attributes each violation to program, driver or loader."""
