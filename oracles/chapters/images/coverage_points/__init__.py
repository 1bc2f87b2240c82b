"""Coverage points for images (section 5.3)."""
