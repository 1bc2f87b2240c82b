"""Events, markers and barriers (sections 5.11 and 5.12): a valid call of each function."""
