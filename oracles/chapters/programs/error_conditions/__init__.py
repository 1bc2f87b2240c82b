"""Error conditions of program functions (section 5.8)."""
