"""Coverage points for partitions."""
