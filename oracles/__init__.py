"""The model of the specification: what must happen, decided without a driver and without input or output."""
