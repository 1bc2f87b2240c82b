"""Implements ``clconform explain``: gathers the information about one requirement, and formats it for a terminal."""
