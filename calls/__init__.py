"""A call to OpenCL and its outcome as data, in the form that all other layers share."""
