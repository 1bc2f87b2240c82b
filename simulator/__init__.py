"""The simulated platform: the model run forwards, in a process of its own, with topology and faults of one's choice."""
