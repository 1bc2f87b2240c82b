"""Which calls put to the test what is said of events beside their errors (sections 5.11 to 5.16)."""
