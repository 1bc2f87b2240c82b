"""Which calls test what is said of the contents of shared virtual memory, and what none can test (section 5.6)."""
