"""Rules for kernel enqueues (section 5.10): their ranges, and the memory effects of the suites' kernels."""
