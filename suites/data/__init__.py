"""What memory holds: every way to put bytes somewhere, and to find them again."""
