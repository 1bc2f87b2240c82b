"""Coverage points of partitions: capabilities of devices, the core functions, and device fission."""
