"""A run with several results ends with the exit code of highest precedence."""

from __future__ import annotations

import pytest

from clconform.calls import exit_codes
from clconform.calls.exit_codes import MEANINGS
from clconform.calls.run_verdict import PRECEDENCE, select_exit_code


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ((), 0),
        ((0, 8), 8),
        ((9, 8), 9),
        ((10, 9, 8), 10),
        ((10, 12, 11), 11),
        ((10, 3), 3),
        ((130, 3), 3),
        ((130, 10), 130),
        ((143, 7, 10), 143),
        ((7, 10), 7),
        ((1, 10), 3),
        ((5, 0), 5),
    ],
)
def test_exit_code_of_highest_precedence_is_selected(codes: tuple[int, ...], code: int) -> None:
    assert select_exit_code(codes) == code


def test_each_exit_code_has_a_precedence_and_success_has_the_lowest() -> None:
    assert sorted(PRECEDENCE) == sorted(MEANINGS)
    assert PRECEDENCE[-1] == exit_codes.AS_EXPECTED == 0
