"""The simulated platform: the model as an implementation, in its own process, with a chosen topology and faults."""
