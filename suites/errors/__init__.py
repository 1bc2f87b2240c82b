"""Every error clause, provoked: a valid call, with one thing wrong."""
