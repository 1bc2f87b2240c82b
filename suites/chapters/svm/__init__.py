"""Shared virtual memory (section 5.6): allocation, commands, contents, and wait lists."""
