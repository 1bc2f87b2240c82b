"""Calls to OpenCL, their outcomes and the lines of a journal as data, in the form that all other packages share."""
