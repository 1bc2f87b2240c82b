"""Unified shared memory (cl_intel_unified_shared_memory): error conditions, postconditions and access rules."""
