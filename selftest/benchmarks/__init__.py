"""Benchmarks of the suite itself, run on demand: the cost of a judged call, and the coverage and speed of a run."""
