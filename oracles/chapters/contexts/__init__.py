"""Rules for contexts (section 4.4): creation, references, termination and queries."""
