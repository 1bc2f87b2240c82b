"""Real programs, recorded and judged on several drivers, and a table with a verdict on each finding."""
