"""Steps of the host: areas of its own, and what it writes and reads through any pointer."""
