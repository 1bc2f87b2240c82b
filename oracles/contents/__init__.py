"""Contents of memory: the known bytes, the commands that use them, and access rules.

Buffers, sub-buffers, host areas and shared allocations are views of a storage. Each byte is defined or undefined, and
has the requirement of the command that wrote it. An unexpected byte is attributed to this command, or, after a plain
write, to the function that read the byte. A command's effect is applied when the command is enqueued. This is correct
because a command is not sent if it conflicts with a command that need not end before it begins (``access_rules``).

Memory on the bus is one storage with two owners: a buffer of one device, and its representation on another device. If
a command waits for a signal that was not written yet, the host does not wait for this command. If the signal is still
missing at the end of an example, the example writes it.
"""
