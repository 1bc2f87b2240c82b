"""Faults to plant in a simulated platform, one at a time, by name; each is described by its docstring."""
