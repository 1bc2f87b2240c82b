"""Exercises every error condition: a valid call with one violation.

The items are: the valid call, variations that keep it valid, each error condition violated alone in every known way,
and each error condition violated together with every other one of the function. A rejected call leaves its objects
unchanged, so an item continues with the same objects; any other outcome ends the example. If a driver accepts a call
that it should reject, its process is ended, so that later deviations are not attributed to other calls. A requirement
whose calls hang is not exercised again.
"""
