"""Retain and release of objects, in every defined order."""
