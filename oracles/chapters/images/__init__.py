"""Images (section 5.3)."""
