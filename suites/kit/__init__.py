"""The objects that suites work on, and one valid call of each function: made here, and nowhere else.

An attribute of the kit (``kit.queue``) is made when it is first used and then kept for the example, so that calls which
are refused cost no new objects; a method (``kit.buffer()``) makes another object each time. ``kit.foreign`` is a kit of
another context, and ``kit.foreign.like(handle)`` an object of the same class there.
"""
