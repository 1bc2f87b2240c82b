"""Rules for host and device timers (section 4.2): error conditions, postconditions and the common timebase."""
