"""Tests of sessions: sequential and concurrent calls, and traces of a runtime."""
