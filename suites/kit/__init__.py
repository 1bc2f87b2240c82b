"""The objects that suites use, and one valid call of each function. Suites create objects only through this package.

An attribute of the kit (``kit.queue``) is created on first use and then reused in the example, so that rejected calls
do not need new objects. A method (``kit.buffer()``) creates another object each time. ``kit.foreign`` is a kit with
another context; ``kit.foreign.get_similar(handle)`` returns an object of the same class in that context.
"""
