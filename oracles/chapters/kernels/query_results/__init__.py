"""Query results of kernels (section 5.9.4): declarations and sub-groups."""
