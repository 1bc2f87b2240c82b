"""Which calls put what is said of maps, of the end of memory objects and of their answers to the test (section 5.5)."""
