"""Tests of the journal: what is written, merged, gone on with and read."""
