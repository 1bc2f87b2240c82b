"""What images hold, and what commands do to it (sections 5.3.1 and 5.3.4 to 5.3.7)."""
