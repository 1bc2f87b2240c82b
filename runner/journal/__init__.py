"""The journal of a run: written line by line, resumable, mergeable, and a basis for judging again.

The unit is the pytest item: its id determines its seed and its shard, and its last line marks its end, so a run can
resume from its journal alone. Workers of pytest-xdist append to the same file with one write per line. The calls of a
full journal are in a separate file, because users archive and send journals, and their format is independent of the
judge.
"""
