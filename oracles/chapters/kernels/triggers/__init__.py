"""Which calls put to the test what section 5.9 says beside its clauses."""
