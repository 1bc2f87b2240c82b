"""A call to OpenCL as data: what was asked and what came back, in the one form that every other layer shares."""
