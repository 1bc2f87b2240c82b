"""Tables of a newer revision: split and removed conditions, promoted functions, and the page of its changes."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.clause_splits import (
    REMOVED_CLAUSE,
    narrowed_predicate,
    remainder_predicate,
    weaken_to_may,
)
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    Predicate,
    PredicateResult,
    evaluate,
    may,
    must_by,
)
from clconform.oracles.engine.rulebook import Rulebook, load_declared_rules, rulebook_of
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.state import Model
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition
from clconform.spec_tables.revision_ids import extension_name_of, resolve_ids
from clconform.spec_tables.rewordings import read_rewordings
from clconform.tools.dev.revision_page import (
    conditions_without_rule,
    page_lines,
    rules_without_requirement,
)

from .oracle_setup import COUNTS, OracleSetup

if TYPE_CHECKING:
    from collections.abc import Iterator


DOCS = Path(__file__).resolve().parents[2] / "docs"
NEWER_REVISIONS = [name for name in loading.list_revisions() if name != loading.DEFAULT]
PARTITION_COUNT = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT"
CALL = Call("clCreateBuffer", {})


@pytest.fixture
def newer() -> Iterator[None]:
    """Choose the tables of 3.1.1 for one test."""
    loading.select_folder(loading.REVISIONS / "3.1.1")
    yield
    loading.select_folder(loading.DATA)


def create_constant_predicate(reply: PredicateResult) -> Predicate:
    return lambda _call, _model: reply


@pytest.mark.parametrize(
    ("whole", "others", "alone", "left"),
    [
        (MUST, [], True, MUST),
        (MUST, [NO], True, MUST),
        (MUST, [MUST], True, UNKNOWN),
        (MUST, [NO, UNKNOWN], True, UNKNOWN),
        (MUST, [], False, UNKNOWN),
        (must_by("x"), [], True, must_by("x")),
        (must_by("x"), [MUST], True, UNKNOWN),
        (NO, [MUST], True, NO),
        (may("x"), [MUST], False, may("x")),
        (UNDEFINED, [MUST], False, UNDEFINED),
    ],
)
def test_remainder_predicate_holds_if_the_whole_holds_and_its_parts_do_not(
    whole: PredicateResult,
    others: list[PredicateResult],
    alone: bool,  # noqa: FBT001 (a row)
    left: PredicateResult,
) -> None:
    rest = remainder_predicate(
        create_constant_predicate(whole), [create_constant_predicate(each) for each in others], alone=alone
    )
    assert rest(CALL, Model(load())) == left


@pytest.mark.parametrize(
    ("reply", "now"), [(MUST, REMOVED_CLAUSE), (must_by("x"), REMOVED_CLAUSE), (NO, NO), (UNKNOWN, UNKNOWN)]
)
def test_removed_condition_that_held_becomes_optional(reply: PredicateResult, now: PredicateResult) -> None:
    allowed = weaken_to_may(create_constant_predicate(reply))
    assert allowed is not None
    assert allowed(CALL, Model(load())) == now
    assert weaken_to_may(None) is None


@pytest.mark.usefixtures("newer")
def test_both_parts_of_a_split_condition_can_hold_in_one_call() -> None:
    world = OracleSetup()
    asked = world.expect(
        "clCreateSubDevices", world.device, world.create_list("CL_MAP_READ", 1, 0), 0, None, OutputBuffer(1)
    )
    parts = {f"clCreateSubDevices/CL_INVALID_VALUE/{number}" for number in (3, 4)}
    assert set(load().parts_of("clCreateSubDevices/CL_INVALID_VALUE/1")) == parts
    assert {held.clause.id for held in asked.required_errors} == parts


@pytest.mark.usefixtures("newer")
@pytest.mark.parametrize(("counts", "held"), [((9, 9), {3}), ((-1, 2), {4}), ((1,) * 17, {2, 3, 5}), ((8, 8), set())])
def test_each_part_of_a_split_condition_has_its_own_predicate(counts: tuple[int, ...], held: set[int]) -> None:
    world = OracleSetup()
    asked = world.expect(
        "clCreateSubDevices", world.device, world.create_list(COUNTS, *counts, 0, 0), 0, None, OutputBuffer(1)
    )
    assert {held.clause.id for held in asked.required_errors} == {f"{PARTITION_COUNT}/{number}" for number in held}


@pytest.mark.parametrize(
    ("whole", "own", "others", "said"),
    [
        (MUST, MUST, [NO], MUST),
        (MUST, NO, [MUST], NO),
        (MUST, NO, [NO], UNKNOWN),
        (MUST, UNKNOWN, [MUST], UNKNOWN),
        (must_by("x"), MUST, [], must_by("x")),
        (may("x"), NO, [MUST], may("x")),
        (NO, MUST, [], NO),
        (UNDEFINED, MUST, [], UNDEFINED),
    ],
)
def test_narrowed_predicate_holds_if_whole_and_own_condition_hold(
    whole: PredicateResult, own: PredicateResult, others: list[PredicateResult], said: PredicateResult
) -> None:
    part = narrowed_predicate(
        create_constant_predicate(whole),
        create_constant_predicate(own),
        [create_constant_predicate(each) for each in others],
    )
    assert part(CALL, Model(load())) == said


@pytest.mark.usefixtures("newer")
def test_each_part_of_a_split_condition_holds_without_the_other() -> None:
    world = OracleSetup()
    asked = world.expect("clGetPlatformIDs", 0, None, None)
    assert [held.clause.id for held in asked.required_errors] == ["clGetPlatformIDs/CL_INVALID_VALUE/3"]
    asked = world.expect("clGetPlatformIDs", 0, OutputBuffer(1), OutputBuffer(1))
    assert [held.clause.id for held in asked.required_errors] == ["clGetPlatformIDs/CL_INVALID_VALUE/2"]


@pytest.mark.usefixtures("newer")
def test_ids_of_default_tables_resolve_to_ids_of_newer_revision() -> None:
    gone = "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1"
    given = ("clCreateBuffer/success", f"{PARTITION_COUNT}/1", gone)
    assert resolve_ids(given, load()) == (
        "clCreateBuffer/success",
        *(f"{PARTITION_COUNT}/{number}" for number in (2, 3, 4, 5)),
    )
    allowed = {rule.requirement for rule in rulebook_of(load()).conditions.rules_of("clCreateImage").conditions}
    assert gone in allowed


@pytest.mark.usefixtures("newer")
def test_promoted_function_uses_the_rules_of_its_extension_function() -> None:
    tables = load()
    assert extension_name_of("clGetKernelSuggestedLocalWorkSize", tables) == "clGetKernelSuggestedLocalWorkSizeKHR"
    assert extension_name_of("CL_DEVICE_UUID", tables) == "CL_DEVICE_UUID_KHR"
    assert extension_name_of("clGetKernelSubGroupInfo", tables) == "", "both revisions have it"
    rulebook = rulebook_of(tables)
    clauses = [
        each for each in tables.error_conditions_of("clGetKernelSuggestedLocalWorkSize") if "RESOURCES" not in each.code
    ]
    judged = [each.id for each in clauses if rulebook.predicates.predicate_of(each) is not None]
    assert len(judged) > len(clauses) // 2
    assert rulebook.postcondition_rule("clGetKernelSuggestedLocalWorkSize") is not None


def test_default_tables_have_no_split_conditions() -> None:
    assert not [each.id for each in load().requirements.values() if isinstance(each, ErrorCondition) and each.part_of]
    rulebook = Rulebook(load(), load_declared_rules())
    clauses = {rule.requirement for rule in rulebook.conditions.rules_of("clCreateImage").conditions}
    assert clauses <= load().requirements.keys()


@pytest.mark.parametrize("revision", NEWER_REVISIONS)
def test_revision_page_is_current(revision: str) -> None:
    """The command ``clconform dev page revision --tables REVISION > docs/revision-REVISION.md`` rewrites the page."""
    tables = loading.read_tables(loading.REVISIONS / revision)
    written = "".join(f"{line}\n" for line in page_lines(tables))
    assert (DOCS / f"revision-{revision}.md").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("revision", NEWER_REVISIONS)
def test_every_reworded_condition_of_a_newer_revision_is_reviewed(revision: str) -> None:
    tables = loading.read_tables(loading.REVISIONS / revision)
    clauses = [
        each for each in tables.requirements.values() if isinstance(each, ErrorCondition) and not each.inherited_from
    ]
    assert [each.id for each in clauses if each.reworded] == []
    lacking = rules_without_requirement(tables, load())
    assert lacking
    assert not set(lacking) & tables.requirements.keys()
    assert len(conditions_without_rule(tables, load())) < len(clauses) // 10


def test_decisions_on_rewordings_refer_to_existing_ids() -> None:
    every = set().union(
        *(loading.read_tables(loading.REVISIONS / name).requirements.keys() for name in loading.list_revisions())
    )
    families = {name.rpartition("/")[0] for name in every}
    made = read_rewordings(loading.REVISIONS)
    assert {each.verdict for wordings in made.values() for each in wordings.values()} <= {"same", "part", "different"}
    assert [name for name in made if name.rpartition("/")[0] not in families] == []


def test_decisions_on_rewordings_have_dates_and_notes() -> None:
    every = [
        (name, key, each)
        for name, wordings in read_rewordings(loading.REVISIONS).items()
        for key, each in wordings.items()
    ]
    assert [(name, key) for name, key, each in every if not dt.date.fromisoformat(each.date)] == []
    assert [(name, key) for name, key, each in every if each.verdict == "different" and not each.note] == []


SLICE_PITCH_CASES = [
    ("buffer", (32, 129), {10}),
    ("buffer", (32, 96), {9}),
    ("buffer", (32, 97), {9, 10}),
    ("buffer", (32, 128), set()),
    ("buffer", (0, 1), set()),
    ("host", (32, 129), {12}),
    ("host", (32, 96), {11}),
    ("host", (32, 97), {11, 12}),
]
"""Side, its row and slice pitch for a region of 32 * 4 * 1 bytes, and numbers of the conditions that must hold."""
SLICE_PITCH_CONDITIONS = {
    "clEnqueueReadBufferRect": {
        9: "clEnqueueReadBufferRect/CL_INVALID_VALUE/9",
        10: "clEnqueueReadBufferRect/CL_INVALID_VALUE/10",
        11: "clEnqueueReadBufferRect/CL_INVALID_VALUE/11",
        12: "clEnqueueReadBufferRect/CL_INVALID_VALUE/12",
    },
    "clEnqueueWriteBufferRect": {
        9: "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9",
        10: "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10",
        11: "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11",
        12: "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12",
    },
}


@pytest.mark.parametrize("function", SLICE_PITCH_CONDITIONS)
@pytest.mark.parametrize(("side", "given", "held"), SLICE_PITCH_CASES)
def test_invalid_slice_pitch_violates_only_the_matching_condition(
    function: str, side: str, given: tuple[int, int], held: set[int]
) -> None:
    tight = {"buffer_row_pitch": 0, "buffer_slice_pitch": 0, "host_row_pitch": 0, "host_slice_pitch": 0}
    row, slices = given
    region = ElementList((32, 4, 1))
    call = Call(function, {**tight, f"{side}_row_pitch": row, f"{side}_slice_pitch": slices, "region": region})
    rulebook, model = rulebook_of(load()), Model(load())
    replies = {
        number: evaluate(rulebook.predicates.declared[name], call, model)
        for number, name in SLICE_PITCH_CONDITIONS[function].items()
    }
    assert {number for number, reply in replies.items() if reply is MUST} == held
    assert given != (0, 1) or replies[9].is_may


@pytest.mark.parametrize(
    ("source", "target", "held"),
    [
        ((32, 128), (64, 128), {15}),
        ((32, 128), (32, 256), {16}),
        ((32, 128), (64, 256), {15, 16}),
        ((32, 128), (32, 128), set()),
    ],
)
@pytest.mark.parametrize("same", [True, False])
def test_copy_within_a_buffer_with_different_pitches_is_rejected(
    source: tuple[int, int], target: tuple[int, int], held: set[int], *, same: bool
) -> None:
    model = Model(load())
    buffers = [Buffer(name, size=4096) for name in ("mem1", "mem2")]
    for buffer in buffers:
        model.add(buffer)
    corner = ElementList((0, 0, 0))
    call = Call(
        "clEnqueueCopyBufferRect",
        {
            "src_buffer": Handle("mem1"),
            "dst_buffer": Handle("mem1" if same else "mem2"),
            "src_origin": corner,
            "dst_origin": corner,
            "region": ElementList((32, 2, 1)),
            "src_row_pitch": source[0],
            "src_slice_pitch": source[1],
            "dst_row_pitch": target[0],
            "dst_slice_pitch": target[1],
        },
    )
    rulebook = rulebook_of(load())
    predicates = {15: "clEnqueueCopyBufferRect/CL_INVALID_VALUE/15", 16: "clEnqueueCopyBufferRect/CL_INVALID_VALUE/16"}
    found = {
        number
        for number, name in predicates.items()
        if evaluate(rulebook.predicates.declared[name], call, model) is MUST
    }
    assert found == (held if same else set())


@pytest.mark.parametrize(
    ("older", "newer_"),
    [
        ("clCreateImage/CL_INVALID_IMAGE_SIZE/1", "clCreateImage/CL_INVALID_IMAGE_SIZE/2"),
        ("clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/2"),
    ],
)
def test_image_size_conditions_of_both_revisions_share_a_predicate(older: str, newer_: str) -> None:
    rulebook = rulebook_of(load())
    assert rulebook.predicates.declared[newer_] is rulebook.predicates.declared[older]


@pytest.mark.usefixtures("newer")
def test_condition_that_recurs_only_in_older_revision_has_a_predicate() -> None:
    rulebook = rulebook_of(load())
    clause = load().requirements["clEnqueueReadBufferRect/CL_INVALID_VALUE/4"]
    assert isinstance(clause, ErrorCondition)
    assert clause.condition.kind == "other"
    assert rulebook.predicates.predicate_of(clause) is not None
    assert rulebook.texts.words_of(clause.id).startswith("buffer_row_pitch is not 0")
