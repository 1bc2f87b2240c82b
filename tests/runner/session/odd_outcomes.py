"""Runs suites on a simulated platform with randomly changed results: ``odd_outcomes.py SEED RATE OPTIONS...``.

The program prints the number of items and their internal errors as JSON. Internal errors must not occur for any result.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.harness import Worker
from clconform.runner.session.device_health import DeviceHealth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome

REPOSITORY = Path(__file__).resolve().parents[3]
NUMBERS = (0, 1, 2, 3, -1, 1 << 16, (1 << 31) - 1, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
TEXTS = ("", "\0", "x", "OpenCL C \0", "OpenCL 9.9 \0", "FULL_PROFILE\0", "a b c\0", "\0\0", "x" * 3000 + "\0")
CODES = (0, -1, -5, -30, -9999, 1, (1 << 31) - 1)


class ResultChanger:
    """Changes outcomes pseudo-randomly, depending on the seed and the calls.

    ``rate``: the share of changed outcomes.
    """

    def __init__(self, seed: int, rate: float) -> None:
        self._random, self._rate = random.Random(seed), rate  # noqa: S311 (no secret)

    def change_outcome(self, call: Call, outcome: Outcome) -> Outcome:
        """Return the outcome, or a changed one for the same call."""
        if not isinstance(outcome, Returned) or call.function.startswith("host_") or self._random.random() > self._rate:
            return outcome
        buffers = [name for name in outcome.outputs if isinstance(call.arguments.get(name), OutputBuffer)]
        if not buffers or self._random.random() < 0.15:
            return msgspec.structs.replace(outcome, value=self._change_value(outcome.value))
        name = self._random.choice(buffers)
        return outcome.with_outputs(**{name: self._change_output(name, outcome.outputs[name])})

    def _change_value(self, value: object) -> int | None:
        return self._random.choice(CODES) if isinstance(value, int) else None

    def _change_output(self, name: str, output: Output) -> Output:
        if name != "param_value":
            return msgspec.structs.replace(output, values=[self._change_element(name, one) for one in output.values])
        values = [self._change_element(name, one) for one in output.values]
        values = values[: self._random.randrange(len(values) + 1)] if self._random.random() < 0.3 else values
        raw = (
            bytes(self._random.randrange(256) for _ in output.raw[:256]) if self._random.random() < 0.5 else output.raw
        )
        return Output(values, len(raw), raw)

    def _change_element(self, name: str, value: float | str | None) -> int | float | str | None:
        if name == "errcode_ret":
            return self._random.choice((*CODES, UNTOUCHED))
        if isinstance(value, str) and value != UNTOUCHED and value[:1].isalpha() and value[-1:].isdigit():
            return self._random.choice((value, None, UNTOUCHED, "device1"))
        if isinstance(value, str) and value != UNTOUCHED:
            return self._random.choice(TEXTS)
        return self._random.choice((*NUMBERS, UNTOUCHED))


class InternalErrorPlugin:
    """A pytest plugin that stores internal errors."""

    def __init__(self) -> None:
        self.items = 0
        self.internal_errors: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count an item, and store the end of its traceback if an internal error occurred."""
        self.items += report.when == "call"
        if report.failed and getattr(report, "clconform", "failure") == "failure":
            self.internal_errors[report.nodeid] = report.longreprtext[-600:]


def main(seed: int, rate: float, options: Sequence[str]) -> None:
    """Run pytest with changed outcomes, and print the number of items and their internal errors."""
    odd, ask, ask_together, failures = (
        ResultChanger(seed, rate),
        Worker.call,
        Worker.call_concurrently,
        InternalErrorPlugin(),
    )

    def changed(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        return odd.change_outcome(call, ask(worker, call, deadline))

    def changed_together(worker: Worker, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        pairs = zip(calls, ask_together(worker, calls, deadline), strict=True)
        return [odd.change_outcome(call, outcome) for call, outcome in pairs]

    find_failure = DeviceHealth._find_failure

    def find_and_ignore_failure(health: DeviceHealth) -> str:
        """Check the device, also with changed results, but continue the run if it seems to be lost."""
        find_failure(health)
        return ""

    Worker.call, Worker.call_concurrently = changed, changed_together  # type: ignore[method-assign, assignment]
    DeviceHealth._find_failure = find_and_ignore_failure  # type: ignore[method-assign]
    words = (
        "-c",
        "/dev/null",
        f"--rootdir={REPOSITORY}",
        f"--confcutdir={REPOSITORY / 'suites'}",
        "-q",
        "--no-summary",
        "--tb=native",  # other styles read the source of whole modules for each failure, which takes half of the time
    )
    plugins = ("no:cacheprovider", "clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin")
    loaded = (word for plugin in plugins for word in ("-p", plugin))
    pytest.main([*words, "--import-mode=importlib", *loaded, *options], plugins=[failures])
    print(json.dumps({"items": failures.items, "ours": failures.internal_errors}))  # noqa: T201 (read by the test)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
