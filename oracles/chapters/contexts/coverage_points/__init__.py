"""Coverage points of contexts, and of terminated contexts and their objects (section 4.4)."""
