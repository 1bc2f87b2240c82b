"""Error conditions of image functions (section 5.3)."""
