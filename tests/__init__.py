"""Tests of our own code; none of them needs a real driver."""
