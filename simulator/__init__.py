"""The simulated platform: the model run forwards, in a process of its own, with a topology and faults of one's choice."""
