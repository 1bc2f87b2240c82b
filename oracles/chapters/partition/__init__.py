"""Rules for partitioning devices by the core functions (section 4.3): schemes, sub-devices and queries."""
