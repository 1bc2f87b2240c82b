"""Rules for image contents, and the effects of commands on them (sections 5.3.1 and 5.3.4 to 5.3.7)."""
