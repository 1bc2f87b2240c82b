"""Memory isolation between processes: the content of one process must not appear in the next process."""
