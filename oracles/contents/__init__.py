"""What memory holds: its bytes as far as they are known, the order of the commands on them, who may touch them."""
