"""Makes calls on a driver, judges and journals each one, and confirms and minimises deviations."""
