"""The execution model and the memory model: order of commands, and visibility of their effects."""
