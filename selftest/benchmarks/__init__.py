"""Benchmarks of the suite itself, on demand: what a judged call costs, and how far and how fast a run gets."""
