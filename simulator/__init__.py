"""The simulated platform: the model as an implementation in a separate process, with a topology and faults."""
