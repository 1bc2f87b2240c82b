"""Tests of the reports, which read fabricated journals."""
