"""A pytest plugin that measures a run: ``clconform run ... -- -p clconform.selftest.benchmarks.stopwatch``.

It wraps the few methods that every judged call uses, from the first item to the last. Confirmation is timed per
deviation. The plugin does nothing unless ``CLCONFORM_STOPWATCH`` contains the path of the file to write.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.harness.process_stats import read_process_stat
from clconform.selftest.benchmarks.account import SPANS, ChapterTimes, RunAccount, to_data
from clconform.selftest.benchmarks.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

FILE_VARIABLE = "CLCONFORM_STOPWATCH"
START_VARIABLE = "CLCONFORM_STOPWATCH_BEGAN"
"""The variable with the start time of the command, by the system's monotonic clock."""
NO_CHAPTER = "(none)"
clock = time.perf_counter


def pytest_configure(config: pytest.Config) -> None:
    """Start the stopwatch if the environment names a file."""
    path = os.environ.get(FILE_VARIABLE)
    if path:
        config.pluginmanager.register(Stopwatch(Path(path)), "clconform-stopwatch")


class Stopwatch:
    """Wraps the methods that judged calls use, measures their times, and writes the measurements when pytest ends."""

    def __init__(self, path: Path) -> None:
        """Record the start time; append the process id to ``path``, because several processes may run."""
        self._path = path.with_name(f"{path.name}.{os.getpid()}")
        self._began = float(os.environ.get(START_VARIABLE, time.monotonic()))
        self._event_times: dict[str, float] = {}
        self._cpu_then: dict[str, float] = {}
        self._spans = {name: Histogram() for name in SPANS}
        self._chapters: dict[str, ChapterTimes] = defaultdict(ChapterTimes)
        self._call: dict[str, float] = {}
        self._asking = self._driver = self.building = self.building_cpu = 0.0
        self._calls = 0
        self._worker_pid = 0
        self._originals: list[tuple[Any, str, Any]] = []
        self._lock = threading.Lock()
        self._builds: frozenset[str] = frozenset()
        self._record_event("loaded")

    def _record_event(self, name: str) -> None:
        if name not in self._event_times:
            self._event_times[name] = time.monotonic() - self._began
            self._cpu_then[name] = time.process_time()

    # hooks of pytest

    def pytest_collection_finish(self) -> None:
        """Record the time at which the items were collected."""
        self._record_event("collected")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Wrap the methods that a judged call uses."""
        from clconform.harness import Worker
        from clconform.harness.deadlines import BUILD_FUNCTIONS
        from clconform.oracles.engine.judge import Oracle
        from clconform.runner.journal.recorder import Recorder
        from clconform.runner.session.session import Session

        self.set_build_functions(BUILD_FUNCTIONS)
        self._wrap(Session, "call", self._wrap_call)
        self._wrap(Session, "call_concurrently", self._wrap_concurrent)
        self._wrap(Oracle, "expect", lambda made: self._wrap_part("oracle", made))
        self._wrap(Oracle, "judge", lambda made: self._wrap_part("oracle", made))
        self._wrap(Recorder, "on_judged_call", self._wrap_recorder)
        self._wrap(Worker, "call", self.wrap_worker)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure the times and the calls of one item, and add them to the item's chapter."""
        began, cpu, calls, asking, driver = clock(), self._get_cpu_seconds(), self._calls, self._asking, self._driver
        building, building_cpu = self.building, self.building_cpu
        try:
            return (yield)
        finally:
            chapter = self._chapters[_get_chapter(item)]
            chapter.items += 1
            chapter.calls += self._calls - calls
            chapter.wall += clock() - began
            chapter.cpu += self._get_cpu_seconds() - cpu
            chapter.asking += self._asking - asking
            chapter.driver += self._driver - driver
            chapter.building += self.building - building
            chapter.building_cpu += self.building_cpu - building_cpu
            chapter.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            chapter.driver_peak = max(chapter.driver_peak, self._get_driver_peak())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Measure the confirmation of deviations.

        Record when the items have ended, and when the reports are written.
        """
        from clconform.runner.deviations import confirmation_steps

        self._record_event("items done")
        self._unwrap()
        self._wrap(confirmation_steps, "confirm_sequence", self._wrap_confirmation)
        self._wrap(confirmation_steps, "find_heap_corruption", self._wrap_confirmation)
        try:
            return (yield)
        finally:
            self._unwrap()
            self._record_event("reports written")

    def pytest_unconfigure(self) -> None:
        """Write the measurements of this process to its file."""
        spans = {name: to_data(histogram) for name, histogram in self._spans.items()}
        self._path.write_bytes(
            msgspec.json.encode(RunAccount(spans, dict(self._chapters), self._event_times, self._cpu_then))
        )

    # wrapped methods

    def set_build_functions(self, functions: Iterable[str]) -> None:
        """Count the time in these functions as compile time."""
        self._builds = frozenset(functions)

    def _wrap(self, owner: Any, name: str, by: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(owner, name)
        self._originals.append((owner, name, original))
        setattr(owner, name, by(original))

    def _unwrap(self) -> None:
        for owner, name, original in self._originals:
            setattr(owner, name, original)
        self._originals = []

    def _wrap_confirmation(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a wrapper of ``original`` that measures the time spent on one deviation.

        Several threads may call it.
        """

        def followed(deviation: Any, *arguments: Any, **named: Any) -> Any:
            began = clock()
            try:
                return original(deviation, *arguments, **named)
            finally:
                chapter = _get_chapter_of_requirement(next(iter(deviation.requirements), ""))
                with self._lock:
                    self._chapters[chapter].following += clock() - began

        return followed

    def _wrap_part(self, span: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            began = clock()
            try:
                return original(*arguments, **named)
            finally:
                self._call[span] = self._call.get(span, 0.0) + clock() - began

        return timed

    def _wrap_recorder(self, original: Callable[..., Any]) -> Callable[..., Any]:
        timed = self._wrap_part("journal", original)

        def judged(*arguments: Any, **named: Any) -> Any:
            try:
                return timed(*arguments, **named)
            finally:
                self._record_event("first verdict")

        return judged

    def wrap_worker(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a wrapper of ``original`` that measures each call to the driver process.

        The times of builds are also added up separately.
        """

        def exchanged(worker: Any, call: Any, *arguments: Any, **named: Any) -> Any:
            self._worker_pid = worker.pid
            builds = call.function in self._builds
            cpu = self._get_driver_cpu_seconds() if builds else 0.0
            began = clock()
            outcome = original(worker, call, *arguments, **named)
            took = clock() - began
            inside = min(took, getattr(outcome, "seconds", took))  # a hang counts as driver time
            if builds:
                self.building += inside
                self.building_cpu += max(0.0, self._get_driver_cpu_seconds() - cpu)  # the driver may have ended
            self._call["driver"] = inside
            self._call["transport"] = took - inside
            return outcome

        return exchanged

    def _wrap_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def measured_call(*arguments: Any, **named: Any) -> Any:
            self._call = {}
            began = clock()
            try:
                return original(*arguments, **named)
            finally:
                took = clock() - began
                self._asking += took
                if "driver" in self._call:  # the call was sent, and not rejected as undefined
                    self._count_call(took, self._call)

        return measured_call

    def _wrap_concurrent(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def measured_calls(session: Any, calls: Any) -> Any:
            began = clock()
            try:
                return original(session, calls)
            finally:
                self._asking += clock() - began
                self._calls += len(calls)

        return measured_calls

    def _count_call(self, took: float, parts: dict[str, float]) -> None:
        self._calls += 1
        self._driver += parts["driver"]
        spans = self._spans
        spans["call"].add(took)
        spans["over"].add(took - parts["driver"])
        for name, seconds in parts.items():
            spans[name].add(seconds)
        spans["session"].add(took - sum(parts.values()))

    # process measurements

    def _get_cpu_seconds(self) -> float:
        """Return the CPU time of this process, of its ended children, and of the running driver process."""
        own, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime + self._get_driver_cpu_seconds()

    def _get_driver_cpu_seconds(self) -> float:
        """Return the CPU time of the driver process and of its children that have ended."""
        return read_process_stat(self._worker_pid).used_seconds

    def _get_driver_peak(self) -> int:
        try:
            lines = Path(f"/proc/{self._worker_pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def _get_chapter(item: pytest.Item) -> str:
    from clconform.runner.pytest_plugin.item_selection import requirements_of

    return _get_chapter_of_requirement(next(iter(requirements_of(item)), ""))


def _get_chapter_of_requirement(requirement: str) -> str:
    from clconform.reports.result_builder import chapter_of
    from clconform.spec_tables import load

    known = load().requirements.get(requirement)
    return chapter_of(known) if known is not None else NO_CHAPTER
