"""Memory objects of all kinds (section 5.5)."""
