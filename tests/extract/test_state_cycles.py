"""Extraction of life cycles from the prose: listed states, their transitions, and unreachable states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import Enumerant, Section, StateTransition, Type
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes
from clconform.tools.extract.scopes import split_scopes
from clconform.tools.extract.state_cycles import (
    KnownNames,
    StateCycle,
    extract_cycles,
    states_without_transition,
    transition_draft,
)

from .documents import bullets, html_page, paragraph

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPES = """
cl_big_thing_khr clCreateThingKHR(cl_context context, cl_int* errcode_ret);
cl_int clSealThingKHR(cl_big_thing_khr thing);
cl_int clLaunchThingKHR(cl_big_thing_khr thing);
cl_int clLaunchOther(cl_context context);
cl_jar clCreateJar(cl_context context, cl_int* errcode_ret);
cl_event clCreateUserEvent(cl_context context, cl_int* errcode_ret);
"""
FUNCTIONS = {p.name: function_from_prototype(p, "T", Section("", "")) for p in parse_prototypes(PROTOTYPES)}
TYPES = {name: Type(name, "handle") for name in ("cl_context", "cl_big_thing_khr", "cl_jar", "cl_event")}
VALUES = {
    name: Enumerant(name, value, group)
    for name, value, group in (
        ("CL_BIG_THING_STATE_OPEN_KHR", 0, "cl_thing_state"),
        ("CL_BIG_THING_STATE_FLYING_KHR", 2, "cl_thing_state"),
        ("CL_JAR_STATE_FULL", 0, "cl_jar_state"),
        ("CL_JAR_STATE_SHUT", 1, "cl_jar_state"),
        ("CL_WAITING", 3, "Status"),
        ("CL_STARTED", 1, "Status"),
        ("CL_OVER", 0, "Status"),
        ("CL_RED", 7, "cl_colour"),
    )
}
ANNOUNCED = paragraph("Such a thing goes through these:")
FLYING = "Once a big-thing has been launched into the air it enters the Flying state, at which point it moves back to the Closed state."  # noqa: E501


def state_list(*pairs: tuple[str, str]) -> str:
    return "".join(f"<div><dl><dt>{name}</dt><dd><p>{text}</p></dd></dl></div>" for name, text in pairs)


def read_cycle(tmp_path: Path, *body: str) -> StateCycle:
    path = tmp_path / "page.html"
    path.write_text(html_page(*body), encoding="utf-8")
    found = StateCycle()
    for scope in split_scopes(read_html(path, "T").blocks, "T"):
        cycle = extract_cycles(scope, KnownNames(FUNCTIONS, TYPES, VALUES, "T"))
        found.drafts += cycle.drafts
        found.unread += cycle.unread
    return found


def transitions_of(found: StateCycle) -> list[tuple[str, str, str, str, str]]:
    requirements = [draft.requirement for draft in found.drafts]
    assert all(isinstance(requirement, StateTransition) for requirement in requirements)
    return [
        (r.source, r.target, r.function, r.cause, r.required_flag)
        for r in requirements
        if isinstance(r, StateTransition)
    ]


def test_states_and_transitions_of_a_life_cycle_are_read(tmp_path: Path) -> None:
    found = read_cycle(
        tmp_path,
        ANNOUNCED,
        state_list(
            ("Open", "Initial state of a big-thing on creation, where parts are added."),
            ("Closed", "State after all is done with clSealThingKHR, and it may be launched."),
            ("Flying", FLYING),
        ),
        paragraph("If the big-thing was created with CL_MANY then it may have a Flying Count greater than 1."),
    )
    assert transitions_of(found) == [
        ("", "CL_BIG_THING_STATE_OPEN_KHR", "clCreateThingKHR", "call", ""),
        ("CL_BIG_THING_STATE_OPEN_KHR", "closed", "clSealThingKHR", "call", ""),
        ("closed", "CL_BIG_THING_STATE_FLYING_KHR", "clLaunchThingKHR", "call", ""),
        ("CL_BIG_THING_STATE_FLYING_KHR", "CL_BIG_THING_STATE_FLYING_KHR", "clLaunchThingKHR", "call", "CL_MANY"),
        ("CL_BIG_THING_STATE_FLYING_KHR", "closed", "", "completion", ""),
    ]
    assert found.unread == []


def test_listed_state_without_transition_to_it_is_reported(tmp_path: Path) -> None:
    found = read_cycle(
        tmp_path, ANNOUNCED, state_list(("Open", "Initial state on creation."), ("Lost", "Nobody knows how."))
    )
    assert [line for line in found.unread if "Lost" in line] == found.unread != []


def test_event_statuses_become_transitions_in_decreasing_order(tmp_path: Path) -> None:
    items = bullets("CL_WAITING: it waits.", "CL_STARTED: The initial state for all user events.", "CL_OVER: done.", "Or an error.")  # noqa: E501  # fmt: skip
    assert [move[:4] for move in transitions_of(read_cycle(tmp_path, items))] == [
        ("", "CL_WAITING", "", "enqueue"),
        ("", "CL_STARTED", "clCreateUserEvent", "call"),
        ("CL_WAITING", "CL_STARTED", "", "progress"),
        ("CL_STARTED", "CL_OVER", "", "progress"),
    ]


def test_list_of_rising_or_unrelated_values_is_not_a_life_cycle(tmp_path: Path) -> None:
    rising = bullets("CL_OVER: a.", "CL_STARTED: The initial state for all user events.", "CL_WAITING: c.")
    mixed = bullets("CL_RED: a.", "CL_STARTED: The initial state for all user events.", "CL_OVER: c.")
    assert read_cycle(tmp_path, rising, mixed).drafts == []


OPEN = ("Open", "Initial state of a big-thing on creation, where parts are added.")
CREATION = ("", "CL_BIG_THING_STATE_OPEN_KHR", "clCreateThingKHR", "call", "")
FULL = ("Full", "Initial state of a jar on creation.")
JAR_CREATION = ("", "CL_JAR_STATE_FULL", "clCreateJar", "call", "")


@pytest.mark.parametrize("above", ["", ANNOUNCED, paragraph("Nothing of the kind:"), bullets("a", "b")])
def test_states_of_a_list_are_recognised_by_name(tmp_path: Path, above: str) -> None:
    assert transitions_of(read_cycle(tmp_path, above, state_list(OPEN))) == [CREATION]


@pytest.mark.parametrize("name", ["Ajar", "Op.n", "Open (or not)", ""])
def test_list_without_known_state_is_not_a_life_cycle(tmp_path: Path, name: str) -> None:
    found = read_cycle(tmp_path, ANNOUNCED, state_list((name, OPEN[1]), ("Lost", "Nobody knows how.")))
    assert (found.drafts, found.unread) == ([], [])


def test_listed_state_without_description_adds_no_transition(tmp_path: Path) -> None:
    assert read_cycle(tmp_path, bullets("Open", "Flying")).drafts == []


def test_list_with_one_known_state_is_a_life_cycle(tmp_path: Path) -> None:
    found = read_cycle(tmp_path, state_list(OPEN, ("Lost", "Nobody knows how.")))
    assert transitions_of(found) == [CREATION]
    (line,) = found.unread
    assert "Lost of a cl_big_thing_khr" in line


def test_states_with_equal_words_belong_to_the_object_of_their_list(tmp_path: Path) -> None:
    closed = ("Closed", "State after all is done with clSealThingKHR.")
    jar = state_list(FULL, ("Closed", "Nobody knows how."))
    found = read_cycle(tmp_path, state_list(OPEN, closed), paragraph("Other things have other states."), jar)
    assert transitions_of(found) == [
        CREATION,
        ("CL_BIG_THING_STATE_OPEN_KHR", "closed", "clSealThingKHR", "call", ""),
        JAR_CREATION,
    ]
    (line,) = found.unread
    assert "Closed of a cl_jar" in line


def test_adjacent_state_lists_of_two_objects_are_read_separately(tmp_path: Path) -> None:
    found = read_cycle(tmp_path, state_list(OPEN), state_list(FULL, ("Shut", "Nobody knows how.")))
    assert transitions_of(found) == [CREATION, JAR_CREATION]
    (line,) = found.unread
    assert "Shut of a cl_jar" in line


def test_unreachable_states_of_a_life_cycle_are_found() -> None:
    types = [Type(name, "enum") for name in ("cl_jar_state", "cl_big_thing_state_khr", "cl_colour")]
    values = {
        name: Enumerant(name, 0, group, documents)
        for name, group, documents in (
            ("CL_JAR_STATE_FULL", "cl_jar_state", ("T", "registry")),
            ("CL_JAR_STATE_SHUT", "cl_jar_state", ("T", "registry")),
            ("CL_JAR_STATE_LOST", "cl_jar_state", ("registry",)),
            ("CL_BIG_THING_STATE_OPEN_KHR", "cl_big_thing_state_khr", ("T",)),
            ("CL_RED", "cl_colour", ("T",)),
        )
    }
    leads = StateTransition("", "T", Section("", ""), "", object="cl_jar", source="", target="CL_JAR_STATE_FULL")
    draft = transition_draft(leads)
    assert list(states_without_transition(types, values, [draft.requirement], "T")) == [
        "CL_JAR_STATE_SHUT",
        "CL_BIG_THING_STATE_OPEN_KHR",
    ]
    assert list(states_without_transition(types, values, [draft.requirement], "registry")) == [
        "CL_JAR_STATE_SHUT",
        "CL_JAR_STATE_LOST",
    ]
