"""The contents of memory: every way to write bytes, and to read them back."""
