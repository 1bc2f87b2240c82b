"""Bus-addressable memory (cl_amd_bus_addressable_memory): a device writes data and signals to another's memory."""
