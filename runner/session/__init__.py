"""Connects tests to a driver: a session makes calls, judges each call, and stores the sequence of calls."""
