"""Command-queues (section 5.1)."""
