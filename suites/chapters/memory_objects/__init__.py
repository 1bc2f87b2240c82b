"""Functions for all types of memory objects (section 5.5): retaining, unmapping, migrating and sharing."""
