"""Rules for the memory model (section 3.3): visibility of writes, atomic operations and litmus kernels."""
