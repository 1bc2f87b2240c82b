"""Rules for semaphores (section 5.13): creation, signals, waits, handles of other APIs, and queries."""
