"""Rules for linked allocations of a runtime above OpenCL: links and transfers, as a note of the runtime describes."""
