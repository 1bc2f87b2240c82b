"""Which calls put what is said of formats, and of what images answer, to the test (sections 5.3.1, 5.3.2 and 5.3.9)."""
