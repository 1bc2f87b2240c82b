"""Memory objects of all kinds: kept, unmapped and migrated (section 5.5)."""
