"""Coverage points for unified shared memory beyond its error conditions and tables."""
