"""What success of calls on command-buffers means (section 5.17)."""
