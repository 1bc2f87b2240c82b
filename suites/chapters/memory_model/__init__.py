"""The execution and memory model: order between commands, and what they see of each other."""
