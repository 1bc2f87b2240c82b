"""Rules for device fission (cl_ext_device_fission): partitioning of devices, and core functions on sub-devices."""
