"""Which calls put to the test what section 5.17 says beside its clauses."""
