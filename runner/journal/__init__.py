"""What a run writes down, continues from, and can be judged by again.

The unit is the pytest item: its seed and its shard follow from its id, and its last line says that it has ended. So a
journal is enough to continue from. Workers of pytest-xdist append to the same file, one write for each line. The calls
of a full journal are in a file of their own, because the journal is what people keep and send, and its format does not
depend on how the judge works.
"""
