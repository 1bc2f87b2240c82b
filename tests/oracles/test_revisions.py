"""Another revision: clauses in parts, clauses that are gone, what became core, and the lists of these."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Must
from clconform.oracles.engine.parts import DROPPED, rest_of, still_allowed
from clconform.oracles.engine.rulebook import Rulebook, declared, rulebook_of
from clconform.oracles.model.world import Model
from clconform.spec_tables import load, loading
from clconform.spec_tables.across import parts_among, twin_of
from clconform.spec_tables.records import ErrorClause
from clconform.tools.revisions import clauses_without_a_rule, decisions, page, rules_without_a_record

from .worlds import COUNTS, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.answers import Predicate, Reply

DOCS = Path(__file__).resolve().parents[2] / "docs"
NEWER = [name for name in loading.revisions() if name != loading.DEFAULT]
COUNT = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT"
CALL = Call("clCreateBuffer", {})


@pytest.fixture
def newer() -> Iterator[None]:
    """Choose the tables of 3.1.1 for one test."""
    loading.choose(loading.REVISIONS / "3.1.1")
    yield
    loading.choose(loading.DATA)


def always(reply: Reply) -> Predicate:
    return lambda _call, _model: reply


@pytest.mark.parametrize(
    ("whole", "others", "alone", "left"),
    [
        (True, [], True, Answer.MUST),
        (True, [False], True, Answer.MUST),
        (True, [True], True, UNKNOWN),
        (True, [False, UNKNOWN], True, UNKNOWN),
        (True, [], False, UNKNOWN),
        (Must("x"), [], True, Must("x")),
        (Must("x"), [True], True, UNKNOWN),
        (False, [True], True, Answer.NO),
        (May("x"), [True], False, May("x")),
        (Answer.UNDEFINED, [True], False, Answer.UNDEFINED),
    ],
)
def test_what_is_left_of_a_condition(whole: Reply, others: list[Reply], alone: bool, left: Reply) -> None:  # noqa: FBT001 (a row)
    rest = rest_of(always(whole), [always(each) for each in others], alone=alone)
    assert rest(CALL, Model(load())) == left


@pytest.mark.parametrize(
    ("reply", "now"), [(True, DROPPED), (Must("x"), DROPPED), (False, Answer.NO), (UNKNOWN, UNKNOWN)]
)
def test_what_a_document_lacks_is_still_allowed(reply: Reply, now: Reply) -> None:
    allowed = still_allowed(always(reply))
    assert allowed is not None
    assert allowed(CALL, Model(load())) == now
    assert still_allowed(None) is None


@pytest.mark.usefixtures("newer")
def test_the_parts_of_a_clause_are_judged_together() -> None:
    world = World()
    asked = world.expect("clCreateSubDevices", world.device, world.items(COUNTS, 9, 9, 0, 0), 2, OutputBuffer(2), None)
    parts = {f"{COUNT}/{number}" for number in (2, 3, 4, 5)}
    assert set(load().parts_of(f"{COUNT}/1")) == parts
    assert {held.clause.id for held in asked.musts} == parts


@pytest.mark.usefixtures("newer")
def test_a_part_that_recurs_is_judged_alone() -> None:
    world = World()
    asked = world.expect("clGetPlatformIDs", 0, None, None)
    assert [held.clause.id for held in asked.musts] == ["clGetPlatformIDs/CL_INVALID_VALUE/3"]
    asked = world.expect("clGetPlatformIDs", 0, OutputBuffer(1), OutputBuffer(1))
    assert [held.clause.id for held in asked.musts] == ["clGetPlatformIDs/CL_INVALID_VALUE/2"]


@pytest.mark.usefixtures("newer")
def test_ids_of_the_default_tables_lead_to_those_of_others() -> None:
    gone = "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1"
    given = ("clCreateBuffer/success", f"{COUNT}/1", gone)
    assert parts_among(given, load()) == ("clCreateBuffer/success", *(f"{COUNT}/{number}" for number in (2, 3, 4, 5)))
    allowed = {rule.record for rule in rulebook_of(load()).rules_of("clCreateImage").breakable}
    assert gone in allowed


@pytest.mark.usefixtures("newer")
def test_what_became_core_is_judged_as_in_its_extension() -> None:
    tables = load()
    assert twin_of("clGetKernelSuggestedLocalWorkSize", tables) == "clGetKernelSuggestedLocalWorkSizeKHR"
    assert twin_of("CL_DEVICE_UUID", tables) == "CL_DEVICE_UUID_KHR"
    assert twin_of("clGetKernelSubGroupInfo", tables) == "", "both revisions have it"
    rulebook = rulebook_of(tables)
    clauses = [each for each in tables.clauses_of("clGetKernelSuggestedLocalWorkSize") if "RESOURCES" not in each.code]
    judged = [each.id for each in clauses if rulebook.predicate_of(each) is not None]
    assert len(judged) > len(clauses) // 2
    assert rulebook.promiser_of("clGetKernelSuggestedLocalWorkSize") is not None


def test_the_default_tables_have_no_parts() -> None:
    assert not [each.id for each in load().records.values() if isinstance(each, ErrorClause) and each.part_of]
    rulebook = Rulebook(load(), declared())
    clauses = {rule.record for rule in rulebook.rules_of("clCreateImage").breakable}
    assert clauses <= load().records.keys()


@pytest.mark.parametrize("revision", NEWER)
def test_the_page_of_a_revision_is_current(revision: str) -> None:
    """Written again by ``clconform tables --tables REVISION --revision > docs/revision-REVISION.md``."""
    tables = loading.read(loading.REVISIONS / revision)
    written = "".join(f"{line}\n" for line in page(tables))
    assert (DOCS / f"revision-{revision}.md").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("revision", NEWER)
def test_every_reworded_clause_was_read(revision: str) -> None:
    tables = loading.read(loading.REVISIONS / revision)
    clauses = [each for each in tables.records.values() if isinstance(each, ErrorClause) and not each.same_as]
    assert [each.id for each in clauses if each.reworded] == []
    lacking = rules_without_a_record(tables, load())
    assert lacking
    assert not set(lacking) & tables.records.keys()
    assert len(clauses_without_a_rule(tables, load())) < len(clauses) // 10


def test_decisions_are_about_ids_that_exist() -> None:
    every = set().union(*(loading.read(loading.REVISIONS / name).records.keys() for name in loading.revisions()))
    families = {name.rpartition("/")[0] for name in every}
    made = decisions()
    assert {found for wordings in made.values() for found in wordings.values()} <= {"same", "part", "different"}
    assert [name for name in made if name.rpartition("/")[0] not in families] == []
