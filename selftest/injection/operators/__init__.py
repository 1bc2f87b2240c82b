"""The operators: every way in which a driver is made wrong."""

from __future__ import annotations

from clconform.selftest.injection.operators import callbacks, codes, contents, events, fates, numbers, objects, rooms
from clconform.selftest.injection.operators.registry import OPERATORS, Operator

__all__ = ["OPERATORS", "Operator", "callbacks", "codes", "contents", "events", "fates", "numbers", "objects", "rooms"]
