"""The command line, and the implementation of its commands."""
