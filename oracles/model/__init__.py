"""What the model knows: the objects that live, each by a class of its kind, and the commands in their order."""
