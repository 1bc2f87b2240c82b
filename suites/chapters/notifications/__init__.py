"""Callbacks and user events: applications are notified once, in time, and with the correct arguments."""
