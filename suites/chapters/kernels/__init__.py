"""Kernels (section 5.9): creation, cloning, arguments, and the effects of arguments on execution."""
