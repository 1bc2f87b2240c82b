"""Tests of the table of wrong answers, and of the faults that make answers and effects wrong."""
