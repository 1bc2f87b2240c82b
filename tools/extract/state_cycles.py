"""Extracts life cycles of objects from the prose: states, and the causes of transitions between them."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import StateTransition
from clconform.tools.extract.document_blocks import DocumentBlock
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clconform.spec_tables.requirements import (
        ApplicabilityCondition,
        Enumerant,
        Function,
        Requirement,
        Section,
        Type,
    )
    from clconform.tools.extract.scopes import FunctionScope

_INITIAL = re.compile(r"\b[Ii]nitial state\b.*\bon creation\b")
_FINISHED = re.compile(r"\bState after .*\bwith (cl\w+)")
_MAY_BE = re.compile(r"\bmay be (\w+?)ed\b")
_ENTERS = re.compile(r"\bOnce .* has been (\w+?)ed\b.*\benters the (\w+) state\b")
_BACK = re.compile(r"\bat which point it (?:moves|goes|returns) back to the (\w+) state\b")
_SEVERAL = re.compile(r"\bcreated with (CL_\w+) then .* may have an? (\w+) Count greater than 1\b")
_STATUS = re.compile(r"^(CL_\w+):")
_MADE_IN = re.compile(r"\binitial state for all (\w+) (\w+)s\b")


@dataclasses.dataclass(slots=True)
class StateCycle:
    """The state transitions that a scope describes.

    ``drafts``: the requirements about transitions. ``unread``: states that no described transition reaches, because the
    cause is unknown.
    """

    drafts: list[RequirementDraft] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class KnownNames:
    """The names of functions, types and enumerants that the prose may contain."""

    functions: Mapping[str, Function]
    types: Mapping[str, Type]
    enumerants: Mapping[str, Enumerant]
    document: str


def extract_cycles(scope: FunctionScope, names: KnownNames) -> StateCycle:
    """Return the life cycles that a scope describes: listed states, or the statuses of a command in order."""
    found = StateCycle()
    handle = ""
    states: dict[str, tuple[str, Section]] = {}
    for block in (*scope.blocks, DocumentBlock("end")):
        items = [item for item in block.items if len(item) > 1] if block.kind == "list" else []
        owner = next((owner for item in items if (owner := _type_with_state(item[0].text, names))), "")
        if (
            handle
            and owner
            and not any(_state_value(item[0].text, handle, names) in names.enumerants for item in items)
        ):
            _read_states(handle, states, "", names, found)
            handle, states = "", {}
        if owner or (handle and items):
            handle = handle or owner
            states |= {item[0].text: (" ".join(part.full_text() for part in item[1:]), block.section) for item in items}
            continue
        if handle:
            _read_states(handle, states, block.full_text(), names, found)
            handle, states = "", {}
        if block.kind == "list":
            _read_statuses(block, names, found)
    return found


def _type_with_state(state: str, names: KnownNames) -> str:
    """Return the handle type that has a state with this name, or an empty string.

    A type has the state if the tables contain its state value, such as CL_COMMAND_BUFFER_STATE_READY_KHR.
    """
    if not any(f"_STATE_{state.upper()}" in name for name in names.enumerants):
        return ""  # returns early for almost every list, without a search of all handles
    handles = [name for name, entry in names.types.items() if entry.kind == "handle"]
    return next((handle for handle in handles if _state_value(state, handle, names) in names.enumerants), "")


def _read_states(
    handle: str, states: Mapping[str, tuple[str, Section]], rest: str, names: KnownNames, found: StateCycle
) -> None:
    """Read the states of an object, and the text ``rest`` that immediately follows them."""
    moves = [_Transition(names, handle, states, *told) for told in _described_transitions(states, rest)]
    found.drafts += [draft for move in moves for draft in move.drafts()]
    reached = {
        draft.requirement.target
        for draft in found.drafts
        if isinstance(draft.requirement, StateTransition) and draft.requirement.object == handle
    }
    found.unread += [
        f"{names.document} {section.number}: nothing leads to the state {state} of a {handle}"
        for state, (_, section) in states.items()
        if _state_value(state, handle, names) not in reached
    ]


def _described_transitions(
    states: Mapping[str, tuple[str, Section]], rest: str
) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield each transition that the text describes.

    A transition is a tuple of source, target, verb or function, required flag, and sentence.
    """
    initial = next((state for state, (text, _) in states.items() if _INITIAL.search(text)), "")
    for state, (text, _) in states.items():
        if state == initial:
            yield "", state, "create", "", text
        if finished := _FINISHED.search(text):
            yield initial, state, finished[1], "", text
        if enters := _ENTERS.search(text):
            sources = [other for other, (said, _) in states.items() if enters[1] in _MAY_BE.findall(said)]
            for source in sources:
                yield source, enters[2], enters[1], "", text
            if several := _SEVERAL.search(rest):
                yield several[2], several[2], enters[1], several[1], rest
        if back := _BACK.search(text):
            yield state, back[1], "", "", text


@dataclasses.dataclass(frozen=True, slots=True)
class _Transition:
    names: KnownNames
    handle: str
    states: Mapping[str, tuple[str, Section]]
    source: str
    target: str
    verb: str
    needs: str
    text: str

    def drafts(self) -> list[RequirementDraft]:
        functions = self._functions() if self.verb else [""]
        return [self._draft(function) for function in functions]

    def _functions(self) -> list[str]:
        """Return the functions that cause the transition.

        This is the named function; for a verb, all functions with the verb in their name that create or take the
        object.
        """
        known = self.names.functions
        if self.verb in known:
            return [self.verb]
        prefix = f"cl{self.verb.title()}"
        named = [function for name, function in known.items() if name.startswith(prefix)]
        if self.verb == "create":
            return [function.name for function in named if function.creates == self.handle]
        return [f.name for f in named if any(p.base == self.handle and not p.pointers for p in f.parameters)]

    def _draft(self, function: str) -> RequirementDraft:
        known = self.names.functions.get(function)
        applicability = known.applicability if known else self._gates()
        source, target = (_state_value(state, self.handle, self.names) for state in (self.source, self.target))
        section = next(iter(self.states.values()))[1]
        return transition_draft(
            StateTransition(
                id="",
                document=self.names.document,
                section=section,
                digest=sentence_digest(self.text),
                applicability=applicability,
                symbols=find_symbols(self.text),
                function=function,
                object=self.handle,
                source=source,
                target=target,
                cause="call" if function else "completion",
                required_flag=self.needs,
            )
        )

    def _gates(self) -> tuple[ApplicabilityCondition, ...]:
        making = [f for f in self.names.functions.values() if f.creates == self.handle]
        return making[0].applicability if making else ()


def states_without_transition(
    types: Iterable[Type], enumerants: Mapping[str, Enumerant], requirements: Iterable[Requirement], document: str
) -> Iterator[str]:
    """Yield the state values that a document mentions but to which no transition leads."""
    reached = {requirement.target for requirement in requirements if isinstance(requirement, StateTransition)}
    kinds = {entry.name for entry in types if re.search(r"_state(?:_[a-z]+)?$", entry.name)}
    for name, entry in enumerants.items():
        if entry.group in kinds and document in entry.documents and name not in reached:
            yield name


def transition_draft(requirement: StateTransition) -> RequirementDraft:
    """Return the draft of a transition.

    Its id contains the two states and the cause.
    """
    cause = requirement.function or requirement.cause
    family = f"{requirement.object}:{requirement.source or 'new'}/{requirement.target}/{cause}"
    return RequirementDraft(family, requirement, numbered=False)


def _handle_for_noun(noun: str, names: KnownNames) -> str:
    """Return the handle type for a noun, such as cl_command_buffer_khr for command-buffer."""
    letters = re.sub(r"\W", "", noun.lower())
    handles = [name for name, entry in names.types.items() if entry.kind == "handle"]
    return next((name for name in handles if re.fullmatch(rf"cl{letters}(?:[a-z]+)?", name.replace("_", ""))), "")


def _state_value(state: str, handle: str, names: KnownNames) -> str:
    """Return the value that a query returns for a state, or the state itself if there is none."""
    stem = re.sub(r"^cl_|_(?:khr|ext)$", "", handle).upper()
    pattern = re.compile(rf"CL_{stem}_STATE_{re.escape(state.upper())}(?:_[A-Z]+)?")
    return next((name for name in names.enumerants if state and pattern.fullmatch(name)), state.lower())


def _read_statuses(block: DocumentBlock, names: KnownNames, found: StateCycle) -> None:
    """Read the statuses of an event: a list of values of one group, in decreasing order down to 0."""
    texts = [" ".join(part.full_text() for part in item) for item in block.items]
    listed = [(match[1], text) for text in texts if (match := _STATUS.match(text)) and match[1] in names.enumerants]
    values = [names.enumerants[name] for name, _ in listed]
    groups = {entry.group for entry in values}
    falling = all(left.value > right.value for left, right in itertools.pairwise(values))
    if len(values) < len(("begin", "middle", "end")) or len(groups) != 1 or not falling or values[-1].value:
        return
    made = next((match for _, text in listed if (match := _MADE_IN.search(text))), None)
    handle = _handle_for_noun(made[2], names) if made else ""
    if not handle:
        return
    before = ""
    for name, text in listed:
        made = _MADE_IN.search(text)
        for function in _creating_functions(made[1], made[2], names) if made else ():
            found.drafts.append(_status_draft(handle, (function, "", name), text, block, names))
        found.drafts.append(_status_draft(handle, ("", before, name), text, block, names))
        before = name


def _creating_functions(adjective: str, noun: str, names: KnownNames) -> list[str]:
    wanted = f"clcreate{adjective}{noun}".lower()
    return [name for name in names.functions if name.lower() == wanted]


def _status_draft(
    handle: str, move: tuple[str, str, str], text: str, block: DocumentBlock, names: KnownNames
) -> RequirementDraft:
    function, source, target = move
    known = names.functions.get(function)
    return transition_draft(
        StateTransition(
            id="",
            document=names.document,
            section=block.section,
            digest=sentence_digest(text),
            applicability=known.applicability if known else (),
            symbols=find_symbols(text),
            function=function,
            object=handle,
            source=source,
            target=target,
            cause="call" if function else "progress" if source else "enqueue",
        )
    )
