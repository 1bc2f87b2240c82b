"""Command-buffers (section 5.17): a valid call of each function, its variations, and the effects of commands."""
