"""The model: the live objects, with a class for each type, and the commands in their order."""
