"""Records the calls of any OpenCL program: a loader layer in C, and the reader of its recordings."""
