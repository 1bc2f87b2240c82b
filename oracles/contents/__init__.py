"""What memory holds: its bytes as far as they are known, the order of the commands on them, who may access them.

Buffers, sub-buffers, host areas and shared allocations are views on storage. Each byte is defined or not, and names the
command that wrote it: a wrong byte is blamed on that command, or, after a plain write, on the function that read it.
A command's effect is applied when the command is enqueued. That is right because no command is sent that conflicts with
one that need not have ended before it (``oracles.engine.legality``).

Memory on the bus is one storage with two owners: a buffer of one device and another device's view of it. A wait that no
command ends is *owed* its signal: no call waits for it, and an example that leaves one behind writes the signal itself.
"""
