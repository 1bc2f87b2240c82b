"""Check that a driver's error is reported once, and not again for its consequences."""
