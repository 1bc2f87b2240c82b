"""A command interrupted at an early stage prints one line."""

from __future__ import annotations

import click
import pytest

from clconform.calls import exit_codes
from clconform.tools.errors import CommandGroup


def test_interrupted_command_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    commands = CommandGroup("clconform")

    @commands.command()
    def waits() -> None:
        raise KeyboardInterrupt

    assert isinstance(waits, click.Command)
    with pytest.raises(SystemExit) as end:
        commands.main(["waits"])
    assert end.value.code == exit_codes.INTERRUPTED
    assert capsys.readouterr().err == "clconform: stopped by Ctrl-C\n"
