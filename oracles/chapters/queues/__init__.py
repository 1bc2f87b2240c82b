"""Rules for command-queues (section 5.1): creation, property lists, default queues, flushes and queries."""
