"""Rules for shared virtual memory (section 5.6): allocations, commands on them, freeing, and usage rules."""
