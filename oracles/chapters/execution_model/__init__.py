"""Coverage points of the platform and execution model (sections 3.1 and 3.2), and of the framework (3.4)."""
