"""Retaining and releasing objects, in every order that is defined."""
