"""Bus-addressable memory (cl_amd_bus_addressable_memory): a device writes another device's memory and signals it."""
