"""Linked allocations: a runtime that follows the note on linked allocations makes its calls on a driver.

Each access is checked. The note describes buffers and images. The traces use only buffers, because the model tracks the
content of buffers.
"""
