"""Buffers and sub-buffers: made, read, written, copied, filled and mapped (section 5.2)."""
