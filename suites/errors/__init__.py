"""Every error clause, provoked: a valid call, with one thing wrong.

The items are: the valid call, variations that leave it valid, each clause broken alone in every way, and each clause
broken together with every other one of the function. A call that is refused leaves its objects as they are, so an item
goes on with the same ones; anything else ends the example. If a driver accepts a command that it had to refuse, its
process is ended, so that nothing else is blamed. A record whose calls hang is not asked again.
"""
