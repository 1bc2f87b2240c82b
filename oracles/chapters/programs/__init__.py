"""Programs (section 5.8)."""
