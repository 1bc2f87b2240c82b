"""Deviations: repeated in fresh processes, minimised, and bisected over builds."""
