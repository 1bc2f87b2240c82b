"""Samplers (section 5.7): a valid call of each function, and its variations."""
