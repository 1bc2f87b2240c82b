"""Command-buffers and the commands recorded in them (section 5.17)."""
