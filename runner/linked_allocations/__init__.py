"""Records the traces of a runtime with linked allocations, judges them, and contributes them to the journal."""
