"""Memory on the bus, cl_amd_bus_addressable_memory: one device writes it and notifies another by a signal."""
