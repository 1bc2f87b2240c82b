"""What one process leaves behind in memory, and what the next one finds there."""
