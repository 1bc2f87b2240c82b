"""Sharing with other interfaces: calls that must fail, because they do not pass such objects (5.2.5 to 5.18)."""
