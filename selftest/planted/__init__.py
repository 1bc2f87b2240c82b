"""Faults to plant into a simulated platform, one at a time, by name: what each does wrong is its docstring."""
