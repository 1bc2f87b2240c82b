"""Contexts (section 4.4): creation, termination while commands wait, and destructor callbacks."""
