"""Tests of this project; they do not need a real driver."""
