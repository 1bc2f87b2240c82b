"""Coverage points of events, apart from their error conditions (sections 5.11 to 5.16)."""
