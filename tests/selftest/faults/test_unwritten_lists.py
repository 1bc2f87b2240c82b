"""A list that is not written, although its number is returned, is one deviation of one requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import unwritten_lists
from clconform.suites.chapters.image_formats import test_lists
from clconform.suites.chapters.kernels import test_arguments
from clconform.suites.chapters.platforms import test_listing

from .attribution import run_and_get_deviating

CASES = (
    *test_listing.cases(),
    *(case for case in test_lists.cases() if case.test_value == "list and number together"),
    *(case for case in test_arguments.cases() if case.requirement == "clCreateKernelsInProgram/success"),
)


def test_list_of_each_function_has_a_fault() -> None:
    assert len(unwritten_lists.faults.entries) == len(unwritten_lists.LISTS)


@pytest.mark.parametrize(
    ("fault", "function"), list(zip(unwritten_lists.faults.entries, unwritten_lists.LISTS, strict=True))
)
def test_unwritten_list_is_a_deviation_of_one_requirement(fault: str, function: str) -> None:
    """On revision 9a89dfee, each required image format deviated as well."""
    cases = [case for case in CASES if case.requirement.startswith(f"{function}/")]
    assert cases
    assert run_and_get_deviating("everything", fault, cases) == {f"{function}/success"}
