"""What applications are told by callbacks: which were registered, when they may and must be called, and with what."""
