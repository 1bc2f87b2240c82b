"""Rules for kernels (section 5.9): creation, arguments, execution information, sub-groups and queries."""
