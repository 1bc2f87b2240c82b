"""Tests of the processes of drivers, and of the binding of calls."""
