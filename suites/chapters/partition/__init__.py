"""Partitioning of devices (section 4.3, cl_ext_device_fission): schemes, trees, use and release of sub-devices."""
