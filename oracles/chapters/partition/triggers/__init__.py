"""Which calls put what is said of partitions to the test."""
