"""Runs calls on a driver: each is judged and journalled, and deviations are confirmed and minimised."""
