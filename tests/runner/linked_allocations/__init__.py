"""Tests of the traces that a session records."""
