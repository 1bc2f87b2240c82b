"""Rules for bus-addressable memory (cl_amd_bus_addressable_memory): buffers that other devices write, and signals."""
