"""Mutated requests to the worker with sanitizers: it fulfils or refuses each of them."""

from __future__ import annotations

from random import Random

import pytest

from clconform.harness.raw_messages import ALLOCATE, BEGIN_EXAMPLE
from clconform.selftest.fuzzing.raw_requests import OwnedAddresses, make_requests, try_requests

from ...sanitized_worker import (  # noqa: TID252 (tests are not part of the installed package)
    ADDRESS,
    start_sanitized_worker,
)

COUNT = 4000
SEED = 20261130


@pytest.mark.parametrize("options", [(), ("--unsupervised",)], ids=["supervised", "unsupervised"])
def test_worker_replies_to_mutated_requests(options: tuple[str, ...]) -> None:
    with start_sanitized_worker(ADDRESS, *options) as connection:
        kinds = try_requests(connection, COUNT, Random(SEED + len(options)))  # noqa: S311 (not for security)
        assert {"RawReturned", "RawRefusal", "RawValue", "RawGroup", "RawBegun"} <= kinds.keys()
        assert kinds["RawRefusal"] > COUNT / 20
        assert kinds["RawReturned"] > COUNT / 20


def test_requests_without_changes_are_fulfilled() -> None:
    """Without this test, mutated requests might be refused because the original ones are invalid."""
    with start_sanitized_worker(ADDRESS) as connection:
        area = connection.call([ALLOCATE, 4096, 8]).result
        for request in make_requests(OwnedAddresses(connection.null_function, area), connection.signatures):
            if request == [BEGIN_EXAMPLE]:
                connection.send_without_reply(request)
            else:
                connection.request(request)
