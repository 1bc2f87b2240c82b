"""Coverage points of memory objects of all kinds: flags and effects, maps, deletion and queries (section 5.5)."""
