"""Tests of the oracle: what it expects is written down here once more, from the documents and not from the code."""
