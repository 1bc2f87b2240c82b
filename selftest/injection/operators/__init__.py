"""The operators: every way in which a driver is made wrong."""
