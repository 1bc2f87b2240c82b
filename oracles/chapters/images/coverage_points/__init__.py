"""Coverage points of creating images, and of commands on them (section 5.3)."""
