"""The tiers of a run, which determine how much of the suites runs, and the marker for items outside smoke tests."""

SMOKE, TABLES, DEFAULT, NIGHT = TIERS = ("smoke", "tables", "default", "night")
"""All tiers, the quickest first."""
TIERS_WITHOUT_RANDOM = (SMOKE, TABLES)
"""Tiers without tests that draw their calls."""
BEYOND_SMOKE = "beyond_smoke"
"""The marker of items that a smoke test leaves out, because other items cover the same requirements."""
TIER_HELP = (
    "smoke: the quickest table-driven tests that cover all requirements covered by table-driven tests; tables: all "
    "table-driven tests; default: also random tests; night: ten times as many random examples"
)
