"""Coverage points for maps, deletion and queries of memory objects (section 5.5)."""
