"""Contents of memory: its bytes as far as they are known, the order of commands on them, and legality of access."""
