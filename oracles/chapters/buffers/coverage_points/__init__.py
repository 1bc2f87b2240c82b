"""Coverage points of buffers: creation, and contents (section 5.2)."""
