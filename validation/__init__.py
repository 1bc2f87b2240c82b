"""Judges recorded calls: whose mistake each surprise is."""
