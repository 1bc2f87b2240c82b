"""Tests of fault injection: what each operator does, when a fault is found, and how that is told."""
