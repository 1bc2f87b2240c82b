"""Rules of a note about linked allocations: when a runtime above OpenCL links allocations and transfers their bytes."""
