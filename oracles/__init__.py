"""The oracle: the rules and the model that decide, without a driver or I/O, which outcomes of a call are allowed."""
