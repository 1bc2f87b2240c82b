"""The platform and execution model (sections 3.1 and 3.2), and the framework (3.4)."""
