"""What is worth asking: tests that generate calls and never judge."""
