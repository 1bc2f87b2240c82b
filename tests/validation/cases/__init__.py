"""Small programs, each with the findings that are right: a mistake in one of them has a twin without it.

``cases.toml`` has the findings for each program. ``python -m tests.validation.cases DRIVER`` compares them with those
on a driver's library.
"""
