"""Coverage points of terminated contexts and their objects (section 4.4)."""
