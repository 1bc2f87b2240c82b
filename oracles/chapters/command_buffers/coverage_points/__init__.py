"""Coverage points of the prose about command-buffers (section 5.17)."""
