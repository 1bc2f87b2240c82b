"""Coverage points of kernels (section 5.9): argument qualifiers, queries, sub-groups, and use in enqueues."""
