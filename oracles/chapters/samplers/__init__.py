"""Rules for samplers (section 5.7): creation, modes, property lists and queries."""
