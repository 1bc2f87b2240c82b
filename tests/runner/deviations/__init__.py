"""Tests of deviations: repetition, minimisation, replay and bisection."""
