"""The command line says on which systems it runs."""

from __future__ import annotations

import sys

import pytest

from clconform.calls import exit_codes
from clconform.tools import start


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_are_rejected_in_one_line(
    system: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert ended.value.code == start.BAD_USAGE == exit_codes.BAD_USAGE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"this is {system}" in said


def test_linux_runs_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["clconform", "--help"])
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert not ended.value.code
    assert "Usage: clconform" in capsys.readouterr().out
