"""Every query in the tables, for every kind of object that a platform can create."""
