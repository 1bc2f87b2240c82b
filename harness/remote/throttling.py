"""Notices machines that run slower than they can, because they are hot or save power."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.harness.errors import HarnessError
from clconform.harness.remote.links import return_link, take_link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness.remote.device import RemoteDevice

_NORMAL_PERCENT = 80
"""A machine whose processors may use less of their highest frequency is called slow."""
_THOUSAND = 1000


def describe_throttling(facts: Mapping[str, str]) -> str:
    """Return how a machine with these facts is slowed down, with its highest temperature; empty if it is not."""
    found = []
    limit = facts.get("frequency limit", "")
    if limit.isdecimal() and int(limit) < _NORMAL_PERCENT:
        found.append(f"processors are limited to {int(limit)} % of their highest frequency")
    if facts.get("cooling"):
        found.append(f"these are slowed down to cool: {facts['cooling']}")
    if not found:
        return ""
    temperature = facts.get("temperature", "")
    hottest = [f"the hottest sensor shows {int(temperature) / _THOUSAND:.0f} °C"] if temperature.isdecimal() else []
    return "; ".join(found + hottest)


def find_throttling(device: RemoteDevice) -> str:
    """Return how a machine is slowed down at present; empty if it is not, if this is unknown, or if it is lost."""
    with suppress(HarnessError):
        link = take_link(device)
        try:
            return describe_throttling(link.read_facts())
        finally:
            return_link(link)
    return ""
