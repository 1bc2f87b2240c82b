"""Command-buffers (section 5.17): a valid call of each function, and its variations."""
