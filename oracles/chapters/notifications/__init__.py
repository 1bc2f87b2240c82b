"""Rules for callbacks: their registration, when they may and must be called, and their arguments."""
