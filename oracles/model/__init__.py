"""The model: live objects, each with a class for its kind, and the commands in order."""
