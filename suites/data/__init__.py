"""What memory holds: every way to put bytes somewhere, and to read them back."""
