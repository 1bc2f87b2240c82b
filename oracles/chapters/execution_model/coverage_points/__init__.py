"""Coverage points of the platform and execution model, and untestable requirements."""
