"""Device fission, cl_ext_device_fission."""
