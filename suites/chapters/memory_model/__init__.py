"""The execution and memory model: order of commands, and visibility of their effects."""
