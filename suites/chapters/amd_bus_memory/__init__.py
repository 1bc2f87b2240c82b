"""Bus-addressable memory (cl_amd_bus_addressable_memory): one device writes another one's memory and signals it."""
