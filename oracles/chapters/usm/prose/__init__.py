"""Which calls test what the document of unified shared memory says beside its clauses and tables, and what none can."""
