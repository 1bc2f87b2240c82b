"""Deviations repeated in fresh processes, made short, and followed through builds."""
