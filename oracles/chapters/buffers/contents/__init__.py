"""Which calls put the sentences about what buffers hold to the test (sections 5.2.1 to 5.2.4)."""
