"""Coverage points for image formats and for image queries (sections 5.3.1, 5.3.2 and 5.3.9)."""
