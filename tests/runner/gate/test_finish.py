"""The end of a run: which deviations are confirmed, and how long minimising may take."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness import Target
from clconform.reports import JournalReader
from clconform.reports.result_builder import listed_deviations
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.confirmation_steps import INTERNAL_ERROR_NOTE
from clconform.runner.deviations.parallel_confirmation import ConfirmationCallbacks, Confirmers
from clconform.runner.gate import finish
from clconform.runner.gate.finish import ITEMS_SHARE, MAX_MINIMISING_SECONDS, MIN_MINIMISING_SECONDS, minimising_seconds
from clconform.runner.journal.writer import JournalWriter
from tests.reports import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

COPY, FINISH, WAIT = "clEnqueueCopyBuffer", "clFinish", "clWaitForEvents"


@pytest.mark.parametrize(
    ("items", "in_all"),
    [
        (0.0, MIN_MINIMISING_SECONDS),
        (100.0, 100 * ITEMS_SHARE),
        (1000.0, MAX_MINIMISING_SECONDS),
        (math.inf, MAX_MINIMISING_SECONDS),
    ],
)
def test_time_for_minimising_is_a_limited_share_of_the_items_time(items: float, in_all: float) -> None:
    assert minimising_seconds(math.inf, 5, items) == in_all / 5


def test_given_time_limit_for_minimising_a_sequence_is_used_unchanged() -> None:
    assert minimising_seconds(1.5, 1, 1000.0) == 1.5
    assert minimising_seconds(0.0, 3, 1000.0) == 0.0


def create_crash(*functions: str) -> Deviation:
    requirements = [f"{function}/success" for function in functions]
    key = build_key(functions[-1], requirements, "signal SIGSEGV")
    return Deviation("item", key, requirements, "crashes", "inferred", ["CL_SUCCESS"], "signal SIGSEGV", {}, [])


ALONE, TOGETHER, OTHER = create_crash(COPY), create_crash(COPY, FINISH), create_crash(WAIT)


@pytest.mark.parametrize(
    ("turns_out", "rounds"),
    [
        ([Confirmation(ALONE.key, "crashes", 2, 2, [])], [[ALONE.key]]),
        ([Confirmation(ALONE.key, "flaky", 0, 2, [])], [[ALONE.key], [TOGETHER.key]]),
        (
            [
                OTHER,
                Confirmation(OTHER.key, "crashes", 2, 2, []),
                Confirmation(ALONE.key, "crashes", 2, 2, [], replaced_by=OTHER.key),
            ],
            [[ALONE.key], [TOGETHER.key]],
        ),
    ],
)
def test_all_deviations_that_the_result_lists_are_confirmed(
    turns_out: list[Deviation | Confirmation], rounds: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deviation of one requirement may be flaky or be replaced. Then the joint deviation must be confirmed, too."""
    path = tmp_path / "journal.jsonl"
    header, platform, *_ = fabricated_journals.journal_lines()
    followed: list[list[str]] = []

    def confirm_all(deviations: list[Deviation], *_: object, callbacks: ConfirmationCallbacks, **__: object) -> None:
        followed.append([line.key for line in deviations])
        if len(followed) == 1:
            for line in turns_out:
                callbacks.report(line)
        else:
            callbacks.report(Confirmation(TOGETHER.key, "crashes", 2, 2, []))

    monkeypatch.setattr(finish, "confirm_all", confirm_all)
    with contextlib.closing(JournalWriter(path)) as journal:
        for line in (header, platform, ALONE, TOGETHER):
            journal.write(line)
        reader = JournalReader(path)
        finish.confirm_and_minimise(
            journal,
            reader,
            Confirmers(ConfirmationSettings(Target.simulated("flat-4"))),
            finish.ConfirmationLimits(1.0),
            finish.ConfirmationProgress(lambda _line: None),
        )
        told = reader.journal()
    assert followed == rounds
    assert {deviation.key for deviation in listed_deviations(told)} <= told.confirmations.keys()


CRASHES = [create_crash(function) for function in ("clFlush", "clFinish", "clRetainEvent", "clReleaseEvent", COPY)]


@pytest.mark.parametrize(
    ("proved", "repeated"),
    [([0, 1, 2, 3, 4], 5), ([], 3), ([0], 4), ([1], 5), ([3, 4], 3), ([2], 5)],
)
def test_unconfirmed_deviations_are_repeated_alone_until_three_in_a_row_stay_unconfirmed(
    proved: list[int], repeated: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, platform, *_ = fabricated_journals.journal_lines()
    rounds: list[tuple[int, list[str]]] = []

    def confirm_all(
        deviations: list[Deviation], confirmers: Confirmers, *, callbacks: ConfirmationCallbacks, **_: object
    ) -> list[Confirmation]:
        rounds.append((confirmers.settings.processes, [line.key for line in deviations]))
        ends = [
            Confirmation(line.key, "crashes", 1, 1, [])
            if len(rounds) > 1 and CRASHES.index(line) in proved
            else Confirmation(line.key, "unconfirmed", 0, 1, [], note="not reached again")
            for line in deviations
        ]
        for end in ends:
            callbacks.report(end)
        return ends

    monkeypatch.setattr(finish, "confirm_all", confirm_all)
    with contextlib.closing(JournalWriter(tmp_path / "journal.jsonl")) as journal:
        for line in (header, platform, *CRASHES):
            journal.write(line)
        reader = JournalReader(journal.path)
        finish.confirm_and_minimise(
            journal,
            reader,
            Confirmers(ConfirmationSettings(Target.simulated("flat-4"), processes=4)),
            finish.ConfirmationLimits(1.0),
            finish.ConfirmationProgress(lambda _line: None),
        )
        confirmations = reader.journal().confirmations
    assert rounds == [(4, [line.key for line in CRASHES]), *((1, [line.key]) for line in CRASHES[:repeated])]
    shown = {CRASHES[index].key for index in proved if index < repeated}
    assert {key for key, end in confirmations.items() if end.verdict == "crashes"} == shown


def test_internal_errors_are_not_repeated() -> None:
    note = f"{INTERNAL_ERROR_NOTE}: ValueError"
    assert not finish._may_repeat_alone(Confirmation("key", "unconfirmed", 0, 0, [], note=note))
    assert not finish._may_repeat_alone(Confirmation("key", "flaky", 0, 2, []))
    assert finish._may_repeat_alone(Confirmation("key", "unconfirmed", 0, 0, [], note="not repeated: no platform"))
