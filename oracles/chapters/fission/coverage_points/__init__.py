"""Coverage points of cl_ext_device_fission."""
