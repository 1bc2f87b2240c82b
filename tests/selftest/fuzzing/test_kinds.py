"""Input kinds: each valid input is read, and a few mutated inputs end properly."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.runner.gate import exit_codes
from clconform.selftest.fuzzing import readers, searching
from clconform.selftest.fuzzing import seeds as making
from clconform.selftest.fuzzing.__main__ import NAMES
from clconform.selftest.fuzzing.exchanges import read, stored
from clconform.selftest.fuzzing.kinds import Kind, kinds
from clconform.selftest.fuzzing.searching import chance_of, mutated, try_content
from clconform.selftest.fuzzing.seeds import Seeds, seeds
from clconform.selftest.fuzzing.trying import wrong_with

from ... import forked  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    import click

LINKED = "linked.traces::test_traces[linked-allocations:{}]"
SUITES = (
    LINKED.format("linked-allocation-commands/7[by kernels, with user memory]"),
    LINKED.format("command-linking-approach/1[one shares, one does not, with user memory aligned to 4 bytes]"),
    "suites/threads/test_lanes.py",
)
"""Items of these two suites with calls and arguments of all kinds."""
SECONDS = 60
INPUTS = 3
"""The number of mutated inputs that are tried per kind."""
SEED = 20261122
RIGHT = {exit_codes.AS_EXPECTED, exit_codes.OUT_OF_DATE, exit_codes.DEVIATIONS, exit_codes.MISTAKES}
"""The exit codes of readers for valid inputs."""


class Forking:
    """Replaces the module ``subprocess``."""

    CalledProcessError = subprocess.CalledProcessError

    @staticmethod
    def run(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        """Fork the run instead of starting a program."""
        assert words[1:3] == ["-m", "clconform.tools"]
        return forked.run(Path.cwd(), *words[3:])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "subprocess", Forking)
        return seeds(tmp_path_factory.mktemp("seeds") / "run", SUITES)


@pytest.fixture(scope="module")
def every(made: Seeds, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds(made, tmp_path_factory.mktemp("valid"))}


def test_the_option_names_every_kind(every: dict[str, Kind]) -> None:
    assert tuple(every) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_valid_is_read(
    name: str, made: Seeds, every: dict[str, Kind], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise mutated inputs could be rejected for another reason, or not be read at all."""
    codes: dict[str, int] = {}

    def run(command: click.Command, words: list[str], _deadline: float) -> str:
        done = CliRunner().invoke(command, words)
        codes[f"{command.name} {words[0]}"] = done.exit_code
        return done.output if done.exit_code not in RIGHT else ""

    monkeypatch.setattr(searching, "wrong_with", run)
    tried = try_content(every[name], every[name].seed, made, tmp_path / "work", chance_of(1, 1), SECONDS)
    assert tried
    assert not [said for _, said in tried if said], codes


@pytest.mark.parametrize("name", NAMES)
def test_no_mutated_input_ends_wrongly(name: str, made: Seeds, every: dict[str, Kind], tmp_path: Path) -> None:
    kind = every[name]
    for number in range(INPUTS):
        chance = chance_of(SEED, number)
        content = mutated(kind, chance)
        assert content != kind.seed
        for words, said in try_content(kind, content, made, tmp_path / "work", chance, SECONDS):
            assert not said, words


def test_a_session_that_does_not_see_the_answers_would_be_noticed(made: Seeds, tmp_path: Path) -> None:
    """The recorded answers decide: after the last answer, calls hang, and the remaining calls are not made."""
    exchanges = read(made.messages)
    for exchange in exchanges[len(exchanges) - 500 :]:
        exchange.answer = b""
    (tmp_path / "whole").write_bytes(made.messages)
    (tmp_path / "less").write_bytes(stored(exchanges))
    whole, less = (CliRunner().invoke(readers.answers, [str(tmp_path / name)]).output for name in ("whole", "less"))
    assert int(less.split()[0]) < int(whole.split()[0]) - 100


def test_a_command_that_fails_by_itself_is_found(tmp_path: Path) -> None:
    assert "exit code 3" in wrong_with(readers.answers, [str(tmp_path)], SECONDS), "a folder is no recording"
