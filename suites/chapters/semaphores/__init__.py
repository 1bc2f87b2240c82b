"""Semaphores (section 5.13): a valid call of each function, and its variations."""
