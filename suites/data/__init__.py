"""The contents of memory: all commands that write bytes, and all commands that read them."""
