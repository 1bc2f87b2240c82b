"""Whether a driver is blamed for a wrong answer alone, and not for what follows from it."""
