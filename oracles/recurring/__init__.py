"""Predicates for the conditions that recur in clause after clause, built from the tables' structured conditions."""
