"""Predicates for recurring conditions, built from the tables' structured conditions."""
