"""Sharing with other interfaces: calls without objects of these interfaces, which must fail (5.2.5 to 5.18)."""
