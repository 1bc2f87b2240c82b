"""Rules for the lists of platforms and root devices (sections 4.1 and 4.2)."""
