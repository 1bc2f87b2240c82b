"""Tests of the journal: writing, merging, resuming and judging again."""
