"""The precedence of exit codes."""

from __future__ import annotations

import pytest

from clconform.runner.gate import exit_codes
from clconform.runner.gate.exit_codes import BY_RANK, MEANINGS, deciding


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ((), 0),
        ((0, 8), 8),
        ((10, 8), 10),
        ((10, 12, 11), 12),
        ((10, 3), 3),
        ((130, 3), 3),
        ((130, 10), 130),
        ((143, 7, 10), 143),
        ((7, 10), 7),
        ((1, 10), 3),
        ((5, 0), 5),
    ],
)
def test_the_code_that_decides(codes: tuple[int, ...], code: int) -> None:
    assert deciding(codes) == code


def test_every_code_has_a_rank_and_only_one_is_green() -> None:
    assert sorted(BY_RANK) == sorted(MEANINGS)
    assert BY_RANK[-1] == exit_codes.AS_EXPECTED == 0
