"""Repeats deviations in fresh processes, minimises their sequences, and bisects them over builds of a driver."""
