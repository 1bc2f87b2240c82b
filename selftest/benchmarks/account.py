"""The stopwatch's data of one process, and the sum over several processes."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.benchmarks.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SPANS = ("call", "over", "oracle", "transport", "driver", "journal", "session")
"""The time spans of a judged call: the total, the total without the driver, and the parts."""


class HistogramData(msgspec.Struct):
    """The serializable form of a histogram."""

    counts: dict[int, int] = {}
    total: float = 0.0


class ChapterTimes(msgspec.Struct):
    """The times of one chapter's items in seconds, and the peak memory so far in KiB.

    ``building``: the part of ``driver`` spent in calls that build, compile and link programs. ``building_cpu``: the CPU
    time of the driver process and its children during these calls. ``following``: the time for confirming and
    minimising deviations, several of which run concurrently.
    """

    items: int = 0
    calls: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    asking: float = 0.0
    driver: float = 0.0
    building: float = 0.0
    building_cpu: float = 0.0
    following: float = 0.0
    peak: int = 0
    driver_peak: int = 0


class RunAccount(msgspec.Struct):
    """The data of one process.

    ``event_times``: seconds from the start of the command to the event that the key names. ``cpu``: the CPU time of the
    process until each of these events.
    """

    spans: dict[str, HistogramData] = {}
    chapters: dict[str, ChapterTimes] = {}
    event_times: dict[str, float] = {}
    cpu: dict[str, float] = {}


def sum_accounts(paths: Iterable[Path]) -> RunAccount:
    """Return one account with the sums of the accounts in these files.

    The times of events, ``event_times`` and ``cpu``, are not added: the account contains the minimum of each.
    """
    spans: dict[str, Histogram] = defaultdict(Histogram)
    chapters: dict[str, ChapterTimes] = defaultdict(ChapterTimes)
    event_times: dict[str, float] = {}
    cpu: dict[str, float] = {}
    for path in paths:
        account = msgspec.json.decode(path.read_bytes(), type=RunAccount)
        for name, times in account.spans.items():
            spans[name].merge(Histogram(times.counts, times.total))
        for name, chapter in account.chapters.items():
            _add_chapter(chapters[name], chapter)
        for name, seconds in account.event_times.items():
            event_times[name] = min(seconds, event_times.get(name, seconds))
            cpu[name] = min(account.cpu.get(name, 0.0), cpu.get(name, math.inf))
    return RunAccount({name: to_data(each) for name, each in spans.items()}, dict(chapters), event_times, cpu)


def _add_chapter(whole: ChapterTimes, part: ChapterTimes) -> None:
    for name in ("items", "calls", "wall", "cpu", "asking", "driver", "building", "building_cpu", "following"):
        setattr(whole, name, getattr(whole, name) + getattr(part, name))
    whole.peak = max(whole.peak, part.peak)
    whole.driver_peak = max(whole.driver_peak, part.driver_peak)


def to_data(histogram: Histogram) -> HistogramData:
    """Return the serializable form of a histogram."""
    return HistogramData(dict(histogram.counts), histogram.total)
