"""Tests of mutants: how they are made, tried and told."""
