"""Launches that cannot be made: kernels and arguments, ranges and work-groups, native kernels (section 5.10)."""
