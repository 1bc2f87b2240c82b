"""Addresses of extension functions by name."""
