"""The rule about the isolation of memory between processes (section 3.4.4)."""
