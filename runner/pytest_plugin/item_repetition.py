"""Runs one item of a finished run again, in a new process, with the options of the run."""

from __future__ import annotations

import contextlib
import os
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from clconform.harness import cache_dirs
from clconform.harness.helper_processes import block_interrupts, create_pool, end_pool
from clconform.runner.journal.suite_names import SUITES, files_by_name
from clconform.runner.pytest_plugin.environment import prepare_environment

MAX_SECONDS = 300.0
"""Maximum duration of one item in seconds, including the start of its process."""
PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin")
VALUE_OPTIONS = (
    "platform",
    "driver",
    "simulated",
    "fault",
    "result_seed",
    "device_index",
    "device_target",
    "device_wait",
    "reboot",
    "tables",
    "seed",
    "tier",
    "examples",
    "own_seconds",
    "deadline_scale",
    "program_binaries",
)
"""The options of the run that affect the calls of an item, and have a value."""


class ItemRepeater:
    """Runs items again, each in a new process."""

    def __init__(self, options: Any) -> None:
        """Keep the options of the run; ``options``: those of pytest."""
        self._words = [
            *(f"--cl-{name.replace('_', '-')}={value}" for name in VALUE_OPTIONS if (value := _value(options, name))),
            *(f"--cl-{name}" for name in ("direct", "embedded") if _value(options, name)),
            *(f"--cl-device={address}" for address in options.cl_device),
            *(f"--cl-device-env={variable}" for variable in options.cl_device_env),
            *(("--robustness",) if options.robustness else ()),
        ]

    def repeat(self, item: str) -> frozenset[str]:
        """Run an item of the installed suites, and return the keys of the deviations that it has observed.

        None are returned for other items, and for an item that does not end in time.
        """
        name, _, test = item.partition("::")
        file = files_by_name(SUITES).get(name)
        if file is None:
            return frozenset()
        pool = create_pool(1, _prepare, cache_dirs.process_folder())
        try:
            with block_interrupts():
                future = pool.submit(_run_item, [*self._words, f"{file}::{test}"])
            return future.result(MAX_SECONDS)
        except (TimeoutError, BrokenProcessPool):
            return frozenset()
        finally:
            end_pool(pool)


def _value(options: Any, name: str) -> str:
    """Return the value of an option of the run as text; empty for an option that is not given."""
    value = getattr(options, f"cl_{name}")
    return "" if value is None or value is False else str(value)


class _KeyCollector:
    """A pytest plugin that collects the keys of the deviations in the reports of items."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the keys that the report of an item contains."""
        self.keys.update(getattr(report, "clconform_deviations", ()))


# the following functions run in the new process


def _prepare(scratch: Path) -> None:
    cache_dirs.set_parent_folder(scratch)
    prepare_environment()


def _run_item(words: list[str]) -> frozenset[str]:
    collector = _KeyCollector()
    fixed = [
        *("-c", os.devnull, f"--rootdir={SUITES.parent}", f"--confcutdir={SUITES}", "--import-mode=importlib"),
        *("-p", "no:cacheprovider", *(word for plugin in PLUGINS for word in ("-p", plugin))),
        *("--strict-markers", "-q", "--tb=no", f"--basetemp={cache_dirs.process_folder() / 'pytest'}"),
    ]
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        pytest.main([*fixed, *words], plugins=[collector])
    return frozenset(collector.keys)
