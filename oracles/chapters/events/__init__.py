"""Rules for events (section 5.11), markers and barriers (5.12), order (5.14), profiling (5.15) and flushes (5.16)."""
