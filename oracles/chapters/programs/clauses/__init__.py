"""When calls about programs must fail (section 5.8)."""
