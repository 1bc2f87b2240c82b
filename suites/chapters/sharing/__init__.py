"""Sharing with other interfaces: calls without any of their objects, which must fail (5.2.5 to 5.18)."""
