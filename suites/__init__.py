"""The tests: they generate calls and never judge."""
