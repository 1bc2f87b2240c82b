"""Rules for unified shared memory (cl_intel_unified_shared_memory): allocations, commands, accesses and queries."""
