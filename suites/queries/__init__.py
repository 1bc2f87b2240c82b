"""Every query of the tables, on every kind of object that a platform can create."""
