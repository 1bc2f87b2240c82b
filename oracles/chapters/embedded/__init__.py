"""The embedded profile (chapter 7): differences other than the limits of queries."""
