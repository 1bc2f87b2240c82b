"""Coverage points of buffer contents (sections 5.2.1 to 5.2.4)."""
