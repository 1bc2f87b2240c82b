"""Rules for the functions that return addresses of extension functions by name."""
