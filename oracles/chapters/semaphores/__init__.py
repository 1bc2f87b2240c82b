"""Semaphores (section 5.13)."""
