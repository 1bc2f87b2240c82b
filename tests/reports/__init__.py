"""Tests of the reports, which are fed with fabricated journals."""
