"""Error conditions of creating, mapping and transferring images (section 5.3)."""
