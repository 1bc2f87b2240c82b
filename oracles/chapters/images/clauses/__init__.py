"""When calls about images must fail (section 5.3)."""
