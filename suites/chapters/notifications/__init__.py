"""Callbacks and user events: drivers invoke each callback once, in time, and with the expected arguments."""
