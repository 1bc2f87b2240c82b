"""Tests of sessions: calls one by one and at the same time, and traces of a runtime."""
