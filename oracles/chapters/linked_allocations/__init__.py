"""Linked allocations of a runtime on top of OpenCL, as its note describes them: their links and their transfers."""
