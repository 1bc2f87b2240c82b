"""Tests of sessions: sequential and concurrent calls."""
