"""Callbacks and user events: that applications are told, once, in time, and of the right thing."""
