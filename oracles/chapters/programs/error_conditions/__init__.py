"""Error conditions of creating, building, linking and querying programs (section 5.8)."""
