"""Linked allocations: a runtime that follows the note runs on a real driver, and every access is checked.

The memory objects of the note are buffers and images. The traces use buffers only, because the model tracks their
content.
"""
