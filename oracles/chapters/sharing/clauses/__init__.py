"""When calls must fail that have no object of another interface: those that take objects, and those that ask."""
