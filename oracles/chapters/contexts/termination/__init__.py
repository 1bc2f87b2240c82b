"""Which calls show what is left of a context that was terminated, and of its objects (section 4.4)."""
