"""Tests of the oracle. Their expected values are derived again from the documents, not from the code."""
