"""Memory objects of all kinds: retaining, unmapping and migrating them (section 5.5)."""
