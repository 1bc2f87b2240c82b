"""The pytest plugin: options that select a driver, the ``cl`` fixture, and recording of every item.

Every pytest in the environment loads this plugin, so it imports other modules only when an option or a suite needs
them.
"""

from __future__ import annotations

import argparse
import functools
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin import tiers

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from clconform.runner.gate.stop_signals import StopRequest
    from clconform.runner.pytest_plugin.item_selection import ItemSelection
    from clconform.runner.pytest_plugin.run import SuiteRun
    from clconform.runner.pytest_plugin.run_plan import RunPlan
    from clconform.runner.session.session import Session

STOP_KEY: pytest.StashKey[StopRequest] = pytest.StashKey()
RUN_KEY: pytest.StashKey[SuiteRun] = pytest.StashKey()
PLAN_KEY: pytest.StashKey[RunPlan] = pytest.StashKey()
CHOICE_KEY: pytest.StashKey[ItemSelection] = pytest.StashKey()
JOURNAL_MODES = ("brief", "full")
QUICK_PLUGIN = "clconform-quick"
STOP_SECONDS = 0.2
"""Seconds after a stop of the run until workers of pytest-xdist that have not ended are killed."""


class NonEmptyAction(argparse.Action):
    """An argparse action that rejects an empty value.

    It appends the value if the option's default is a list.
    """

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        """Store the value; ArgumentError if it is empty."""
        if not values.strip():
            raise argparse.ArgumentError(self, "the value is empty (unset variable?); give a value or omit the option")
        listed = [*getattr(namespace, self.dest), values] if isinstance(self.default, list) else values
        setattr(namespace, self.dest, listed)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a conformance run."""
    group = parser.getgroup("clconform", "OpenCL conformance (clconform)")
    add = group.addoption
    add(
        "--cl-platform",
        metavar="PART",
        action=NonEmptyAction,
        default="",
        help="test the installed platforms whose name or vendor contains PART",
    )
    add("--cl-driver", metavar="LIBRARY", action=NonEmptyAction, default="", help="test the driver in LIBRARY")
    add("--cl-direct", action="store_true", help="bypass the ICD loader; call through the driver's dispatch table")
    add(
        "--cl-simulated",
        metavar="TOPOLOGY",
        action=NonEmptyAction,
        default="",
        help="test the simulated platform TOPOLOGY",
    )
    add(
        "--cl-fault",
        metavar="NAME",
        action=NonEmptyAction,
        default="",
        help="inject fault NAME into the simulated platform",
    )
    add(
        "--cl-result-seed",
        metavar="SEED",
        type=int,
        default=None,
        help="choose results of the simulated platform at random among the allowed ones, by SEED [the first allowed]",
    )
    add(
        "--cl-embedded",
        action="store_true",
        help="test the PoCL driver from PyPI [the default driver]",
    )
    add("--cl-device-index", metavar="N", type=int, default=0, help="test the OpenCL root device with index N [0]")
    add(
        "--cl-device",
        metavar="ADDRESS",
        action=NonEmptyAction,
        default=[],
        help="test a driver on another machine, such as ssh:HOST (repeatable for equal machines)",
    )
    add("--cl-device-target", metavar="TARGET", default="", help="copy the worker for TARGET [the machine is asked]")
    add(
        "--cl-device-env",
        metavar="NAME=VALUE",
        action=NonEmptyAction,
        default=[],
        help="set a variable for the driver on that machine (repeatable)",
    )
    add(
        "--cl-device-wait",
        metavar="S",
        type=_parse_limit,
        default=60.0,
        help="wait S seconds for a machine that was lost [60]",
    )
    add("--cl-reboot", metavar="COMMAND", default="", help="run COMMAND if that machine is lost and does not return")
    add(
        "--cl-requirement",
        metavar="GLOB",
        action=NonEmptyAction,
        default=[],
        help="run only tests of requirements whose ids match GLOB (repeatable)",
    )
    add("--cl-tables", metavar="DIR", action=NonEmptyAction, default="", help="judge by the tables in folder DIR")
    add("--cl-seed", metavar="N", type=int, default=None, help="set the seed of the run [random, and shown]")
    add(
        "--cl-tier",
        choices=tiers.TIERS,
        default=tiers.DEFAULT,
        help=tiers.TIER_HELP,
    )
    add(
        "--cl-examples",
        metavar="N",
        type=int,
        default=0,
        help="run N examples of each Hypothesis test [by the tier]",
    )
    add(
        "--cl-out",
        metavar="DIR",
        action=NonEmptyAction,
        default="",
        help="confirm and minimise deviations; write the journal and reports to folder DIR",
    )
    add("--cl-verbose", action="store_true", help="print all deviations with their calls at the end")
    add(
        "--cl-minimise-seconds",
        metavar="S",
        type=float,
        default=10.0,
        help="minimise each failing call sequence for at most S seconds [10]",
    )
    add(
        "--cl-own-seconds",
        metavar="S",
        type=_parse_limit,
        default=60.0,
        help="limit clconform's own processor time between two calls to S seconds; 0: no limit [60]",
    )
    add(
        "--cl-deadline-scale",
        metavar="F",
        type=_parse_scale,
        default=1.0,
        help="multiply all deadlines of the driver by F, from 0.1 to 100 [1]",
    )
    add(
        "--cl-journal",
        choices=JOURNAL_MODES,
        default="brief",
        help="full: also store every call in calls.jsonl [brief]",
    )
    add("--cl-shard", metavar="K/N", action=NonEmptyAction, default="", help="run part K of N; merge: clconform merge")
    add("--cl-resume", action="store_true", help="resume the run whose journal is in the folder of --cl-out")
    add(
        "--cl-budget",
        metavar="TIME",
        type=_parse_duration,
        default=0.0,
        help="start no tests after TIME: 90s, 10m, 1.5h",
    )
    add(
        "--cl-known",
        metavar="FILE",
        action=NonEmptyAction,
        default="",
        help="accept the known deviations in FILE (TOML)",
    )
    add(
        "--cl-program-binaries",
        metavar="DIR",
        action=NonEmptyAction,
        default="",
        help="on a device without a compiler, load the programs from the binaries in DIR",
    )
    add("--cl-quick", action="store_true", help="repeat deviations once, without minimising; show changes per item")
    add(
        "--cl-last", metavar="FILE", action=NonEmptyAction, default="", help="run only the failed items of journal FILE"
    )
    add("--cl-progress", action="store_true", help="in quiet mode, show the progress of the run instead of dots")
    add("--robustness", action="store_true", help="also pass valid handles of another object type")


def _parse_limit(text: str) -> float:
    from clconform.runner.pytest_plugin.time_budget import parse_limit

    return parse_limit(text)


def _parse_scale(text: str) -> float:
    from clconform.runner.pytest_plugin.time_budget import parse_scale

    return parse_scale(text)


def _parse_duration(text: str) -> float:
    from clconform.runner.pytest_plugin.time_budget import parse_duration

    return parse_duration(text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and plugins of a run, and set its tables, its seed and the handling of signals."""
    if config.option.cl_tables:
        _choose_tables(Path(config.option.cl_tables))
    config.addinivalue_line("markers", "covers(*requirements): the requirements that this item targets")
    config.addinivalue_line("markers", "machine: a state machine, which draws its calls by the item's seed")
    config.addinivalue_line(
        "markers", f"{tiers.BEYOND_SMOKE}: not in a smoke test, since other items cover its requirements"
    )
    # with Python 3.14, Hypothesis does not find the references to its generator, because gc.freeze hides them
    config.addinivalue_line("filterwarnings", "ignore:It looks like `register_random`")
    if config.option.cl_out and hasattr(config, "workerinput"):
        from clconform.harness.gc_tuning import raise_gc_threshold

        raise_gc_threshold()
    config.pluginmanager.register(FailureKindRecorder(), "clconform-failure-kinds")
    config.pluginmanager.register(SkippedItems(), "clconform-not-begun")
    if config.option.cl_out and not hasattr(config, "workerinput"):
        from clconform.runner.gate.stop_signals import handle_stop_signals

        handlers = ExitStack()
        config.stash[STOP_KEY] = handlers.enter_context(handle_stop_signals())
        config.add_cleanup(handlers.close)
    given = getattr(config, "workerinput", {}).get("cl_scratch")
    if given:
        from clconform.harness import cache_dirs

        cache_dirs.set_parent_folder(Path(given))
    if config.option.cl_resume or config.option.cl_budget:
        _plan_of(config)  # the budget's time starts here
    if config.getoption("--cl-seed") is None:
        config.option.cl_seed = _chosen_seed(config)


def _choose_tables(folder: Path) -> None:
    from clconform.spec_tables import loading

    loading.select_folder(
        (loading.REVISIONS / folder if str(folder) in loading.list_revisions() else folder).absolute()
    )


class FailureKindRecorder:
    """Records the kinds of failures in the reports of items, and whether the run was interrupted.

    Every process of the run has one; that of the controlling process gets the reports of all workers.
    """

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.interrupted = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record an interrupt, but not ``pytest.exit``, for which pytest also calls this hook.

        A signal may arrive between two lines of code, so that entries of the traceback have no line number. Remove
        these entries, because pytest fails on them.
        """
        self.interrupted = not isinstance(excinfo.value, pytest.exit.Exception)
        excinfo.traceback = excinfo.traceback.filter(_has_line)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the kind of failure that a report contains."""
        kind = getattr(report, "clconform", "")
        if kind:
            self.kinds.add(kind)


def _has_line(entry: Any) -> bool:
    try:
        return bool(entry.lineno >= 0)
    except TypeError:  # the line is None
        return False


class SkippedItems:
    """Skips the remaining items when the budget is spent, or after a problem that ends the run."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Return True for an item that must not start, which means to pytest that the item is handled."""
        return True if _uses_session(item) and not _run_of(item.config).items.is_started else None


def _chosen_seed(config: pytest.Config) -> int:
    """Return the seed of the run.

    A worker gets the seed of its controller, and a resumed run the seed of the earlier run; any other run gets a new
    seed.
    """
    given = getattr(config, "workerinput", {}).get("cl_seed")
    if given is not None:
        return int(given)
    earlier = _plan_of(config).earlier if config.option.cl_resume else None
    if earlier is not None:
        return earlier.journal.run.seed
    from random import SystemRandom

    return SystemRandom().randrange(1 << 32)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the seed, the plan and a folder for temporary files to a worker of pytest-xdist."""
    from clconform.harness import cache_dirs

    node.workerinput["cl_scratch"] = str(cache_dirs.process_folder())
    node.workerinput["cl_seed"] = node.config.option.cl_seed
    node.workerinput["cl_plan"] = _plan_of(node.config).to_worker_input()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Store why a worker of pytest-xdist stopped starting items.

    If the reason is an error in the suites themselves, end the run.
    """
    del error
    output = getattr(node, "workeroutput", {})
    if output.get("cl_wrong"):
        pytest.exit(output["cl_wrong"], returncode=pytest.ExitCode.USAGE_ERROR)
    trouble, short, lost = output.get("cl_trouble", ("", False, ""))
    if trouble:
        context = _run_of(node.config).context
        context.device_lost = context.device_lost or lost
        context.stop_reason = context.stop_reason or trouble
        context.is_resource_shortage = context.is_resource_shortage or short


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Write the number of selected items, so that the number is known even if a worker ends before its first item."""
    if RUN_KEY in node.config.stash:
        _run_of(node.config).journal.write_worker_selection(len(ids))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the progress display and the comparison with the last run, if requested.

    Before pytest-xdist starts its workers, exclude the current folder from their search for modules.
    """
    if _names_run(session.config):
        from clconform.harness.inherited_settings import exclude_current_folder, restore_signals

        restore_signals()
        exclude_current_folder()
    if session.config.option.cl_progress and not hasattr(session.config, "workerinput"):
        from clconform.runner.pytest_plugin.progress import start_progress

        start_progress(session.config)
    if session.config.option.cl_quick and not hasattr(session.config, "workerinput"):
        from clconform.runner.pytest_plugin.quick_comparison import QuickComparison

        session.config.pluginmanager.register(
            QuickComparison(session.config, _plan_of(session.config).last_run), QUICK_PLUGIN
        )


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> None:
    """Set up Hypothesis before a suite is imported, because decorators of Hypothesis capture the current settings.

    This applies to the suites of clconform. In ``clconform run`` it applies to all suites, so that a user's suite does
    not fail because a driver is slow.
    """
    if SUITES in module_path.parents or parent.config.option.cl_progress:
        from clconform.runner.session.examples import load_profile

        load_profile(parent.config.option.cl_tier, parent.config.option.cl_examples)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate the items of a table-driven test."""
    if isinstance(metafunc.function, functools.partial):
        from clconform.runner.pytest_plugin.covers import TableTest

        if isinstance(metafunc.function, TableTest):
            metafunc.function.generate_items(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check the requirements that items target, and deselect items that were not requested.

    UsageError for errors in the suites. A worker of pytest-xdist then runs no items, and reports the error to the
    controller.
    """
    ours = [item for item in items if _uses_session(item)]
    if ours:
        from clconform.runner.pytest_plugin.item_selection import check_names, select_and_order

        try:
            check_names(ours)
            choice = select_and_order(items, config, _plan_of(config))
        except pytest.UsageError as error:
            if not hasattr(config, "workerinput"):
                raise
            config.workeroutput["cl_wrong"] = str(error)  # type: ignore[attr-defined]
            items.clear()
            return
        config.stash[CHOICE_KEY] = choice
        if choice.omitted_items:
            config.hook.pytest_deselected(items=choice.omitted_items)
        items[:] = choice.kept


def _uses_session(item: pytest.Item) -> bool:
    return "cl" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def cl(request: pytest.FixtureRequest) -> Session:
    """Return the session with the driver under test, which judges every call.

    OpenCL functions are methods of the session.
    """
    return _run_of(request.config).session


@pytest.fixture
def item_seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of an item, which depends only on the run's seed and the item's id."""
    return _run_of(request.config).items.seed_of(request.node)


def _run_of(config: pytest.Config) -> SuiteRun:
    from clconform.runner.pytest_plugin.run import SuiteRun

    if RUN_KEY not in config.stash:
        config.stash[RUN_KEY] = SuiteRun(config, _plan_of(config))
    return config.stash[RUN_KEY]


def _plan_of(config: pytest.Config) -> RunPlan:
    from clconform.runner.pytest_plugin.run_plan import create_plan, read_worker_plan

    if PLAN_KEY not in config.stash:
        handed_on = getattr(config, "workerinput", {}).get("cl_plan")
        config.stash[PLAN_KEY] = read_worker_plan(handed_on) if handed_on else create_plan(config.option)
    return config.stash[PLAN_KEY]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Open the run before the first item, so that an unreachable driver ends the run with one line."""
    ours = [item for item in session.items if _uses_session(item)]
    is_controller = not hasattr(session.config, "workerinput")
    suites_wanted = bool(session.config.getoption("--cl-out")) and is_controller
    if not session.config.option.collectonly and (ours or suites_wanted):
        run = _run_of(session.config)
        run.open()
        choice = session.config.stash.get(CHOICE_KEY, None)
        if choice is not None:  # the controller of pytest-xdist collects nothing
            run.journal.write_selection(choice)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Start and finish recording an item."""
    del nextitem
    if not _uses_session(item):
        return (yield)
    run = _run_of(item.config)
    run.items.begin(item)
    outcome = yield  # an interrupted item has no end in the journal
    run.items.end()
    if run.journal.copy is not None:
        run.journal.copy.update()
    return outcome


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run an item, as one example or with Hypothesis as several, and fail the item if the driver deviates."""
    if not _uses_session(item):
        return (yield)
    items = _run_of(item.config).items
    items.skip_inapplicable(item)
    items.skip_after_hangs(item)
    try:
        with items.run(item):
            return (yield)
    except Exception as error:
        if not getattr(error, "may_succeed", False):
            raise
    items.repeat(item)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Record the outcome of an item.

    The report shows a deviation without a traceback.
    """
    report = yield
    if _uses_session(item):
        _run_of(item.config).items.record_report(report, call)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Confirm and minimise deviations, write the reports, and set the exit code.

    Signals cannot prevent this.
    """
    from clconform.runner.gate.stop_signals import StopRequest

    stop = session.config.stash.get(STOP_KEY, None) or StopRequest()
    stop.hold_signals()
    tally = session.config.pluginmanager.get_plugin("clconform-failure-kinds") or FailureKindRecorder()
    is_controller = not hasattr(session.config, "workerinput")
    if RUN_KEY in session.config.stash:
        run = _run_of(session.config)
        run.journal.write_unreached()
        if not is_controller:
            context = run.context
            trouble = (context.stop_reason, context.is_resource_shortage, context.device_lost)
            session.config.workeroutput["cl_trouble"] = trouble  # type: ignore[attr-defined]
    nodes = getattr(session.config.pluginmanager.get_plugin("dsession"), "nodemanager", None)
    interrupted = bool(stop.signal) or tally.interrupted
    if nodes is not None and interrupted:
        nodes.EXIT_TIMEOUT = STOP_SECONDS
    finished = yield
    if (tally.kinds or RUN_KEY in session.config.stash) and is_controller:
        _run_of(session.config).finish(session, tally.kinds, stop, interrupted=interrupted)
    return finished


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the summary of the run, and of the comparison with the last run."""
    run = terminalreporter.config.stash.get(RUN_KEY, None)
    if run is not None:
        run.completion.summarize(terminalreporter)
    quick = terminalreporter.config.pluginmanager.get_plugin(QUICK_PLUGIN)
    if quick is not None:
        terminalreporter.write_line(f"clconform: {quick.summary_line()}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the driver's process."""
    run = config.stash.get(RUN_KEY, None)
    if run is not None:
        run.close()


def pytest_report_header(config: pytest.Config) -> Iterator[str] | list[str]:
    """Return the seed and the tier as lines to show, if a driver or an output folder was specified."""
    if not _names_run(config):
        return []
    return [f"clconform: seed {config.option.cl_seed}, tier {config.option.cl_tier}"]


def _names_run(config: pytest.Config) -> bool:
    """Return whether a driver or an output folder was specified."""
    return any(config.getoption(f"--cl-{name}") for name in ("platform", "driver", "simulated", "embedded", "out"))
