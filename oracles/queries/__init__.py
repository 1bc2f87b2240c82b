"""Queries: the requested name, when a call must fail, the size of its answer and the allowed answers."""
