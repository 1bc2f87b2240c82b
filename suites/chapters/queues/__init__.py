"""Command-queues (section 5.1): creation, property lists, and default on-device queues."""
