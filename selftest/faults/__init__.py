"""Faults that can be injected into a simulated platform, one at a time, by name; each docstring describes its fault."""
