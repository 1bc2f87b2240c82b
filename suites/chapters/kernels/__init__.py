"""Kernels (section 5.9): how they are made, cloned and given arguments, and what they then work with."""
