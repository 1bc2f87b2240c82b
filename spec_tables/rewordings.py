"""People's decisions on the meaning of later wordings of sentences, in the data that all revisions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathlib import Path

REWORDINGS_FILE = "rewordings.json"
SAME, PART, DIFFERENT = "same", "part", "different"
"""Decisions about a later wording: it has the meaning of the id, a part of this meaning, or another meaning."""


class RewordingDecision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's decision on the meaning of a later wording, compared with the first wording.

    ``verdict``: ``SAME``, ``PART`` or ``DIFFERENT``. ``date``: the day on which the person read both texts, or empty.
    ``note``: the difference in the project's words, if ``verdict`` alone does not describe it.
    """

    verdict: str
    date: str = ""
    note: str = ""


Rewordings = dict[str, dict[str, RewordingDecision]]
"""Maps ids, and then digests of later wordings, to decisions."""


def read_rewordings(folder: Path) -> Rewordings:
    """Return the decisions in the folder of the ledger of ids; none if it has no file of decisions."""
    path = folder / REWORDINGS_FILE
    return msgspec.json.decode(read_regular_file(path), type=Rewordings) if path.exists() else {}
