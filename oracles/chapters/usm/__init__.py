"""Unified shared memory, cl_intel_unified_shared_memory: when its functions fail, what they do, who may use memory."""
