"""Which calls put to the test what launches do, and what is said of index spaces (sections 3.2.1 and 5.10)."""
