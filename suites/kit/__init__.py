"""The objects that suites use, and one valid call of each function; suites create them nowhere else.

An attribute of the kit (``kit.queue``) is created on first use and then kept for the example, so that rejected calls
cost no new objects. A method (``kit.buffer()``) creates another object each time. ``kit.foreign`` is a kit of another
context; ``kit.foreign.like(handle)`` returns an object of the same class there.
"""
