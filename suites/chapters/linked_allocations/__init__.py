"""Linked allocations: a runtime that follows the note on linked allocations, on a real driver with checked accesses.

The memory objects of the note are buffers and images. The traces use only buffers, because the model tracks their
content.
"""
