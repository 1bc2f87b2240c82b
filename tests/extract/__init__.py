"""Tests of the extraction, on small documents written for them."""
