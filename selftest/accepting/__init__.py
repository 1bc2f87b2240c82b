"""Whether a driver that accepts what it must refuse is blamed for that alone, and not for what follows from it."""
