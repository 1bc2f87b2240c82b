"""Error conditions of buffers: creation, reads, writes, copies, fills and mapping (section 5.2)."""
