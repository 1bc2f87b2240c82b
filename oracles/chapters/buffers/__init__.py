"""Rules for buffers (section 5.2): creation, reads, writes, copies, fills and mapping."""
