"""What success means for calls that make and build programs (section 5.8)."""
