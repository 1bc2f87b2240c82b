"""Small programs, each with the findings that are expected: a mistake in one of them has a twin without it.

``cases.toml`` has the findings for each program and driver. ``python -m tests.validation.cases --all`` compares them
with those on the installed drivers.
"""
