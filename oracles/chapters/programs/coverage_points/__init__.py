"""Coverage points for programs (section 5.8)."""
