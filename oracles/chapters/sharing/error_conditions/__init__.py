"""Error conditions that hold without an object of another API: creating, acquiring and querying objects."""
