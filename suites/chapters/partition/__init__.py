"""Partitioning of devices: section 4.3 and cl_ext_device_fission."""
