"""Tests of the extraction, on small documents of our own."""
