"""Memory isolation between processes: content of one process must not appear in the next."""
