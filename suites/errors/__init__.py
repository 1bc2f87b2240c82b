"""Suites for error conditions: a valid call, and calls that violate one or two conditions.

The items are: the valid call; variations that keep it valid; for each error condition, all known variations that
violate it alone; and each pair of the function's error conditions, violated together. A rejected call leaves its
objects unchanged, so an item continues with the same objects; any other outcome ends the example. If a driver accepts a
call that it should reject, its process is ended, so that later deviations are not attributed to other calls. A
requirement whose calls hang is not exercised again.

Each violation is also made through derived objects (``carriers``), for which the model states that the condition holds.
One item for each function makes near misses: valid calls that differ by one step from a violation.
"""
