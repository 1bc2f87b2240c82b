"""Tests of the oracle; their expected values are derived again from the documents, not from the code."""
