"""Events (section 5.11) and their times (section 5.14)."""
