"""Error conditions of kernel enqueues: kernels, arguments, ranges, work-groups, native kernels (section 5.10)."""
