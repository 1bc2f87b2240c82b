"""Tests of gates where a sentence or a row is about more than one case."""

from __future__ import annotations

import pytest

from clconform.spec_tables.records import Gate
from clconform.tools.extract.gates import gates_of_clause, gates_of_list

WITH = "CL_INVALID_VALUE if the cl_khr_pairs extension is supported and n is zero"


@pytest.mark.parametrize(
    ("text", "gates"),
    [
        (f"{WITH}.", (Gate("extension", "cl_khr_pairs"),)),
        (f"{WITH}, or if it is not supported and n is 2.", ()),
        ("CL_INVALID_VALUE if n is zero.", ()),
    ],
)
def test_a_clause_with_a_branch_without_the_extension_is_not_gated_on_it(text: str, gates: tuple[Gate, ...]) -> None:
    assert gates_of_clause(text) == gates


@pytest.mark.parametrize(
    ("introduction", "gates"),
    [
        ("If the cl_khr_pairs extension is supported, clPair may fail with:", (Gate("extension", "cl_khr_pairs"),)),
        ("clPair returns CL_SUCCESS if, if the cl_khr_pairs extension is supported, a pair is left. Else:", ()),
    ],
)
def test_what_a_success_hangs_on_gates_no_error(introduction: str, gates: tuple[Gate, ...]) -> None:
    assert gates_of_list(introduction) == gates
