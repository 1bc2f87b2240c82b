"""Real programs, recorded and judged on several drivers, and a table that has a verdict on each finding."""
