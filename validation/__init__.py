"""Judges the recorded calls of a program, and attributes each violation to the program, the driver or the loader."""
