"""The verdict on a call: rules found and kept, what is allowed, what an outcome means against that."""
