"""Scripts that stand for ssh and adb: they run the command line in a shell of this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """#!/bin/sh
for last; do :; done
printf '%s\\n' "$*" >> "{log}"
{fault}
TMPDIR="{folder}" exec sh -c "$last"
"""
"""Runs its last argument in a shell, as ssh and adb do there; ``fault``: commands before that."""


class Board:
    """Programs that stand for ssh and adb, and the folder of the board for temporary files.

    ``own_folder``: the folder in it that belongs to the user of the shell.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.programs, self.log = folder / "board", folder / "bin", folder / "log"
        self.own_folder = self.folder / f"clconform-{os.geteuid()}"
        for each in (self.folder, self.programs):
            each.mkdir()
        self.set_fault("")

    def set_fault(self, fault: str) -> None:
        """Let the programs run these shell commands first."""
        for name in ("ssh", "adb"):
            program = self.programs / name
            program.write_text(SCRIPT.format(log=self.log, folder=self.folder, fault=fault), encoding="ascii")
            program.chmod(0o755)

    def commands(self) -> list[str]:
        """Return the command lines that were run."""
        return self.log.read_text(encoding="utf-8").splitlines()
