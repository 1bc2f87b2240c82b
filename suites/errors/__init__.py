"""Every error clause, provoked: a call that is right, and one thing wrong with it."""
