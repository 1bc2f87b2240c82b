"""Retain and release of objects, in every order that the specification defines."""
