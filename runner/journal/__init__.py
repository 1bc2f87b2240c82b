"""Writes and reads the journal of a run, from which the run can be resumed, merged and judged again.

The journal is written line by line, and its unit is the pytest item. The id of an item determines its seed and its
shard, and the last line of an item marks its end, so the journal is all that a resumed run needs. Workers of
pytest-xdist append to the same file, one write per line. A run with ``--journal full`` also stores every call, in a
separate file, because users archive and send journals. The format of this file does not depend on the judge.
"""
