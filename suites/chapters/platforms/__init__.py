"""Platforms, root devices, timers, and the way to functions: sections 4.1 and 4.2 but for their queries."""
