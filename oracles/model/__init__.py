"""The model: living objects, each with a class of its kind, and the commands in order."""
