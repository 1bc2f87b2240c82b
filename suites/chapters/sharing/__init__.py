"""Sharing with other interfaces: calls without external objects, which must fail (5.2.5 to 5.18)."""
