"""The command line and what stands behind each of its commands."""
