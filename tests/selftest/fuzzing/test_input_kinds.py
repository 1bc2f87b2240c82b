"""Input kinds: each valid input is read, and a few mutated inputs do not cause failures."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.selftest.fuzzing.exchanges import decode_exchanges, encode_exchanges
from clconform.tools.dev.commands import INPUT_KINDS
from clconform.tools.dev.fuzzing import input_trials, readers
from clconform.tools.dev.fuzzing import valid_inputs as making
from clconform.tools.dev.fuzzing.command_trials import find_failure
from clconform.tools.dev.fuzzing.input_kinds import InputKind, get_kinds
from clconform.tools.dev.fuzzing.input_trials import make_random, mutate, try_content
from clconform.tools.dev.fuzzing.valid_inputs import ValidInputs, make_valid_inputs

from ... import forked_runs  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    import click

LINKED = "linked_allocations.traces::test_linked_allocations_keep_content[linked-allocations:{}]"
SUITES = (
    LINKED.format("linked-allocation-commands/7[by kernels, with user memory]"),
    LINKED.format("command-linking-approach/1[one device shares, one does not, with user memory aligned to 4 bytes]"),
    "suites/threads/test_host_threads.py",
)
"""Items and suites whose calls have arguments of all kinds."""
SECONDS = 60
INPUT_COUNT = 3
"""The number of mutated inputs that are tried per kind."""
SEED = 20261122
VALID_EXIT_CODES = {
    exit_codes.AS_EXPECTED,
    exit_codes.OUT_OF_DATE,
    exit_codes.DEVIATIONS,
    exit_codes.PROGRAM_VIOLATIONS,
}
"""The exit codes of a command that reads a valid input."""


class ForkingSubprocess:
    """Replaces the module ``subprocess``."""

    CalledProcessError = subprocess.CalledProcessError

    @staticmethod
    def run(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        """Fork the run instead of starting a program."""
        assert words[1:3] == ["-m", "clconform.tools"]
        return forked_runs.run(Path.cwd(), *words[3:])


@pytest.fixture(scope="module")
def valid_inputs(tmp_path_factory: pytest.TempPathFactory) -> ValidInputs:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "subprocess", ForkingSubprocess)
        return make_valid_inputs(tmp_path_factory.mktemp("seeds") / "run", SUITES)


@pytest.fixture(scope="module")
def input_kinds(valid_inputs: ValidInputs, tmp_path_factory: pytest.TempPathFactory) -> dict[str, InputKind]:
    return {kind.name: kind for kind in get_kinds(valid_inputs, tmp_path_factory.mktemp("valid"))}


def test_kind_option_lists_every_input_kind(input_kinds: dict[str, InputKind]) -> None:
    assert tuple(input_kinds) == INPUT_KINDS


@pytest.mark.parametrize("name", INPUT_KINDS)
def test_valid_input_of_each_kind_is_read(
    name: str,
    valid_inputs: ValidInputs,
    input_kinds: dict[str, InputKind],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If valid inputs were not read, mutated inputs could be rejected for reasons other than their mutation."""
    codes: dict[str, int] = {}

    def run(command: click.Command, words: list[str], _deadline: float) -> str:
        done = CliRunner().invoke(command, words)
        codes[f"{command.name} {words[0]}"] = done.exit_code
        return done.output if done.exit_code not in VALID_EXIT_CODES else ""

    monkeypatch.setattr(input_trials, "find_failure", run)
    tried = try_content(
        input_kinds[name], input_kinds[name].seed, valid_inputs, tmp_path / "work", make_random(1, 1), SECONDS
    )
    assert tried
    assert not [said for _, said in tried if said], codes


@pytest.mark.parametrize("name", INPUT_KINDS)
def test_mutated_input_does_not_cause_a_failure(
    name: str, valid_inputs: ValidInputs, input_kinds: dict[str, InputKind], tmp_path: Path
) -> None:
    kind = input_kinds[name]
    for number in range(INPUT_COUNT):
        chance = make_random(SEED, number)
        content = mutate(kind, chance)
        assert content != kind.seed
        for words, said in try_content(kind, content, valid_inputs, tmp_path / "work", chance, SECONDS):
            assert not said, words


def test_replayed_session_without_last_replies_judges_fewer_calls(valid_inputs: ValidInputs, tmp_path: Path) -> None:
    """After the last recorded reply, calls hang, and the remaining calls are not made."""
    exchanges = decode_exchanges(valid_inputs.messages)
    for exchange in exchanges[len(exchanges) - 500 :]:
        exchange.answer = b""
    (tmp_path / "whole").write_bytes(valid_inputs.messages)
    (tmp_path / "less").write_bytes(encode_exchanges(exchanges))
    whole, less = (CliRunner().invoke(readers.answers, [str(tmp_path / name)]).output for name in ("whole", "less"))
    assert int(less.split()[0]) < int(whole.split()[0]) - 100


def test_unexpected_exit_code_of_command_is_reported_as_failure(tmp_path: Path) -> None:
    assert "exit code 3" in find_failure(readers.answers, [str(tmp_path)], SECONDS), "a folder is no recording"
