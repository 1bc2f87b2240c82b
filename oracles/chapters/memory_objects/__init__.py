"""Rules for memory objects of all kinds (section 5.5): creation, retaining, mapping, unmapping, migrating, queries."""
