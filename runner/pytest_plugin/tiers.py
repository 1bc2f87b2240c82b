"""The tiers, which determine how much of the suites a run contains, and the marker for items outside smoke tests."""

SMOKE, TABLES, DEFAULT, NIGHT = TIERS = ("smoke", "tables", "default", "night")
"""All tiers, from the fastest to the slowest."""
TIERS_WITHOUT_RANDOM = (SMOKE, TABLES)
"""Tiers without random tests."""
BEYOND_SMOKE = "beyond_smoke"
"""The marker of items that smoke tests omit, because other items cover the same requirements."""
TIER_HELP = (
    "smoke: the quickest table-driven tests that cover all requirements covered by table-driven tests; tables: all "
    "table-driven tests; default: also random tests; night: ten times as many random examples"
)
