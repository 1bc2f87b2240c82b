"""Which calls put the sentences of section 5.8 to the test that have no error code."""
