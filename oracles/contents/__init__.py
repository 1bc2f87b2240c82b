"""Contents of memory: its bytes as far as they are known, the order of the commands on them, and access rules.

Buffers, sub-buffers, host areas and shared allocations are views of a storage. Each byte is defined or not, and names
the command that wrote it. An unexpected byte is attributed to that command, or, after a plain write, to the function
that read it. A command's effect is applied when the command is enqueued. That is correct because commands are not sent
if they conflict with a command that need not have ended before them (``oracles.engine.legality``).

Memory on the bus is one storage with two owners: a buffer of one device and another device's view of it. A wait whose
signal no command has written is *owed* that signal: the host never waits for it, and an example that leaves such a wait
behind writes the signal itself.
"""
