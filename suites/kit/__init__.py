"""The objects that suites work on, and one valid call of each function: made here, and nowhere else."""
