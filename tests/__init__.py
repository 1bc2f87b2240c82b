"""Tests of this project. They do not need a real driver."""
