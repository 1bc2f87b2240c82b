"""Rules that several chapters share: predicates of recurring conditions, coverage points, and common postconditions."""
