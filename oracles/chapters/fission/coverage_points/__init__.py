"""Coverage points of cl_ext_device_fission: requirements on its own functions, and on core functions."""
