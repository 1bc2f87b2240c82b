"""Which calls put what cl_ext_device_fission says of its functions, and of others, to the test."""
