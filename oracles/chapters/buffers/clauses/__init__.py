"""Buffers: when making, reading, writing, copying, filling and mapping them must fail (section 5.2)."""
