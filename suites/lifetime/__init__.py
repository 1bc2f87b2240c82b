"""Retaining and releasing objects, in every defined order."""
