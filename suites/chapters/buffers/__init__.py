"""Buffers and sub-buffers: creation, reads, writes, copies, fills and maps (section 5.2)."""
