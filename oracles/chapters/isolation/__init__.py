"""Memory of one process must not show in another (section 3.4.4)."""
