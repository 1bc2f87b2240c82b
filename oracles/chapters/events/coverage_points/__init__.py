"""Coverage points of the prose about events (sections 5.11 to 5.16)."""
