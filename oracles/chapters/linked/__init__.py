"""Linked allocations of a runtime above OpenCL, as a note describes them: which are linked, and how data moves."""
