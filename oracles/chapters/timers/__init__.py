"""Host and device timers (section 4.2)."""
