"""Tests of the session, of what it leaves behind, of the second pass, and of the pytest plugin."""
