"""The oracle: rules and model that decide, without a driver and without I/O, which outcomes of a call are allowed."""
