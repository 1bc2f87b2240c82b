"""The committed table of triage: why each deviation that a driver shows is one; and the commands that work with it."""
