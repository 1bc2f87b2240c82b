"""Platforms, root devices, timers and function addresses (sections 4.1 and 4.2), without the queries."""
