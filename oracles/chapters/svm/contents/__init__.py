"""Coverage points for the contents of shared virtual memory, and untestable requirements (section 5.6)."""
