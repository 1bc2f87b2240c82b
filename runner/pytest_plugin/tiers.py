"""The tiers of a run: how much of the suites is run, and how items say to which they belong."""

SMOKE, TABLES, DEFAULT, NIGHT = TIERS = ("smoke", "tables", "default", "night")
"""All tiers, the quickest first."""
WITHOUT_RANDOM = (SMOKE, TABLES)
"""Tiers without tests that draw their calls."""
BEYOND_SMOKE = "beyond_smoke"
"""The marker of items that a smoke test leaves out, because others show the same."""
HELP = (
    "smoke: the quickest table-driven tests that reach every record that all of them reach; tables: all table-driven "
    "tests; default: random tests as well; night: ten times as many random examples"
)
