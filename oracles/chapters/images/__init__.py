"""Rules for images (section 5.3): creation, descriptors, regions, transfers, mapping and queries."""
