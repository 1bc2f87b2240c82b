"""Reads the file of known deviations, with a message for every error, and writes such a file from a result.

The file is TOML; each ``[[known]]`` is one entry:

    requirement = "clCreateSubDevices/CL_INVALID_VALUE/*"   a requirement's id, or a pattern of ids
    verdict = "deviates"                               or crashes or hangs
    reason = "reported as bug 1234"                    why it is accepted; never empty
    flaky = true                                       it does not occur in every run
    until = 2027-03-31                                 the last day on which it is accepted
    driver = ">=3.0, <4"                               the affected driver versions
    deviation = "86f203a7"                             only this deviation, by id
    symptom = "CL_SUCCESS"                             only with this symptom code
    observed = "CL_SUCCESS"                            only with this observation, as shown in reports
    tests = ["queries.values::test_query_returns_valid_value[...]"]  only in these tests, by their whole ids
    test_values = ["param_value_size=size-1"]          only at these test values

The first three keys are required. An entry with a pattern accepts only an unexpected CL_SUCCESS, crashes and hangs,
each if its verdict allows it; ``symptom`` names another symptom, and ``symptom = "*"`` accepts every symptom. Ids and
symptoms never change; a later version may reword observations. The message of ``KnownDeviationsError`` contains the
file, the entry, the line, the value, and a remedy.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from clconform.calls.call import Died, Hung
from clconform.reports.deviation_causes import SUCCESS
from clconform.reports.deviation_values import escape_value, is_full
from clconform.reports.driver_versions import is_range
from clconform.reports.escaping import escape_non_ascii, escape_unprintable
from clconform.reports.id_patterns import is_pattern, longest_literal, matches_pattern
from clconform.reports.run_gaps import is_complete
from clconform.reports.run_result import ID_DIGITS
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.reports.toml_upgrade import RENAMED_KEYS, RENAMED_LISTS
from clconform.reports.untrusted_files import GivenFileError, parse_toml, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from clconform.calls.call import Step
    from clconform.reports.run_result import DeviationResult, RunResult

HEADER = re.compile(r"^[ \t]*\[\[[ \t]*known[ \t]*\]\]", re.MULTILINE)
VERDICTS = ("deviates", "crashes", "hangs")
"""The verdicts of entries, in the order in which a run runs their items: verdicts that take more time come later."""
ENTRY_KEYS: dict[str, tuple[type, str]] = {
    "requirement": (str, 'a requirement\'s id or a pattern in quotes: "clRetainDevice/*"'),
    "verdict": (str, " or ".join(f'"{verdict}"' for verdict in VERDICTS)),
    "reason": (str, "the reason for accepting it, in quotes"),
    "flaky": (bool, "true or false"),
    "until": (dt.date, "a date without quotes: 2027-03-31"),
    "driver": (str, 'a range of versions in quotes: ">=3.0, <4"'),
    "deviation": (str, 'a deviation\'s id in quotes: "86f203a7"'),
    "symptom": (str, 'the code that ends a deviation\'s key, in quotes, or "*" for every symptom'),
    "observed": (str, "the observation, in quotes, as shown in reports"),
    "tests": (
        list,
        'a list of the ids of tests, each in quotes: ["queries.values::test_query_returns_valid_value[x]"]',
    ),
    "test_values": (list, 'a list of test values, each in quotes: ["param_value_size=size-1"]'),
}
"""Maps every key of an entry to its type, and to a text about its value."""
LIST_KEYS = tuple(key for key, (kind, _) in ENTRY_KEYS.items() if kind is list)
ANY_SYMPTOM = "*"
"""The symptom of an entry with a pattern that accepts every symptom."""
REQUIRED_KEYS = ("requirement", "verdict", "reason")
CRASH_SYMPTOMS = ("signal ", "abort", "exit ", "killed ", "garbage", "changed ", "restart", "heap spoilt")
"""The beginnings of the symptoms of a call in which the driver's process ended, or that corrupted the heap."""
HANG_SYMPTOM = "no answer"
"""The symptom of a call that did not return in time."""
MAX_PATTERN_LENGTH = 500
"""Maximum number of characters of a pattern of ids; the longest id has about 100."""
SMOKE_TIER = "smoke"
"""The tier that makes only some of the calls, so that different runs may show a deviation in different tests."""
MAX_TESTS = 20
"""Maximum number of tests in an entry; if more tests show a deviation, the entry accepts it in all tests."""
UNTRIAGED_REASON = "found on {day}, not triaged yet"


class KnownDeviationsError(Exception):
    """A file of known deviations cannot be read or is invalid; the message is one line with a remedy."""


class DeviationObservation(Protocol):
    """The common fields of a deviation in a journal and a deviation in a result."""

    @property
    def key(self) -> str: ...  # noqa: D102 (documented by the class)
    @property
    def requirements(self) -> list[str]: ...  # noqa: D102
    @property
    def verdict(self) -> str: ...  # noqa: D102
    @property
    def observed(self) -> str: ...  # noqa: D102
    @property
    def sequence(self) -> list[Step]: ...  # noqa: D102
    @property
    def symptom(self) -> str: ...  # noqa: D102
    @property
    def tests(self) -> list[str]: ...  # noqa: D102
    @property
    def test_values(self) -> list[str]: ...  # noqa: D102


class KnownDeviation(msgspec.Struct, frozen=True):
    """One entry of the file.

    ``number``: its position among the entries, from 1. ``line``: its line number; 0 if unknown.
    """

    requirement: str
    verdict: str
    reason: str
    flaky: bool = False
    until: dt.date | None = None
    driver: str = ""
    deviation: str = ""
    symptom: str = ""
    observed: str = ""
    tests: tuple[str, ...] = ()
    test_values: tuple[str, ...] = ()
    number: int = 0
    line: int = 0

    def accepts_symptom(self, deviation: DeviationObservation) -> bool:
        """Return whether the entry accepts the symptom of a deviation.

        A pattern that names neither a symptom nor a deviation accepts, apart from crashes and hangs, only that calls
        succeed: other symptoms may be those of deviations that were unknown when the entry was written.
        """
        if self.symptom:
            return self.symptom in (ANY_SYMPTOM, deviation.symptom, escape_non_ascii(deviation.symptom))
        named = self.deviation or self.observed or not is_pattern(self.requirement)
        return bool(named) or deviation.symptom == SUCCESS or observed_verdict(deviation) != "deviates"

    @property
    def position(self) -> str:
        """The position of the entry in the file, as text."""
        return f"entry {self.number}" + (f" (line {self.line})" if self.line else "")


def read_known_deviations(path: Path) -> list[KnownDeviation]:
    """Return the entries of a file; KnownDeviationsError if it cannot be read or is invalid."""
    try:
        text = read_text(path)
    except GivenFileError as error:
        raise KnownDeviationsError(
            f"{escape_unprintable(str(path))}: cannot read the known deviations: {error}; "
            "`clconform known --from RESULT --out FILE` writes an initial file"
        ) from None
    return parse_known_deviations(text, str(path))


def parse_known_deviations(text: str, name: str) -> list[KnownDeviation]:
    """Return the entries in a text; ``name``: the file's name for messages. KnownDeviationsError if it is invalid."""
    name = escape_unprintable(name)
    try:
        raw = parse_toml(text)
    except GivenFileError as error:
        raise KnownDeviationsError(f"{name}: not valid TOML: {error}") from None
    for key in raw:
        if key in RENAMED_LISTS:
            raise KnownDeviationsError(f"{name}: [[{key}]] is format 1; convert it with `clconform dev migrate {name}`")
        if key != "known":
            raise KnownDeviationsError(
                f"{name}: unknown key {escape_non_ascii(key, limit=80)}; write each entry under [[known]]"
            )
    entries = raw.get("known", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise KnownDeviationsError(f"{name}: known is not a list of entries; write [[known]] above each")
    lines = _entry_lines(text)
    if len(lines) != len(entries):
        lines = [0] * len(entries)
    return [
        _parse_entry(raw, number, line, name) for number, (raw, line) in enumerate(zip(entries, lines, strict=True), 1)
    ]


def _entry_lines(text: str) -> list[int]:
    """Return the line number of each entry, which begins with ``[[known]]``."""
    lines, line, before = [], 1, 0
    for found in HEADER.finditer(text):
        line += text.count("\n", before, found.end(0))
        before = found.end(0)
        lines.append(line)
    return lines


def _parse_entry(raw: dict[str, Any], number: int, line: int, name: str) -> KnownDeviation:
    place = f"{name}, entry {number}" + (f" (line {line})" if line else "")
    for key, value in raw.items():
        if key in RENAMED_KEYS:
            raise KnownDeviationsError(
                f"{place}: the key {key} is format 2; convert it with `clconform dev migrate {name}`"
            )
        if key not in ENTRY_KEYS:
            near = difflib.get_close_matches(key, ENTRY_KEYS, 1)
            hint = f"did you mean {near[0]}?" if near else f"valid keys: {', '.join(ENTRY_KEYS)}"
            raise KnownDeviationsError(f"{place}: unknown key {escape_non_ascii(key, limit=80)}; {hint}")
        if type(value) is not ENTRY_KEYS[key][0]:  # exactly: a datetime is also a date in Python
            raise KnownDeviationsError(f"{place}: {key} = {_value_text(value)}: write {ENTRY_KEYS[key][1]}")
        if isinstance(value, str) and not value.strip():
            raise KnownDeviationsError(f"{place}: {key} is empty; write {ENTRY_KEYS[key][1]}")
    for key in REQUIRED_KEYS:
        if key not in raw:
            raise KnownDeviationsError(f"{place}: {key} is missing; write {ENTRY_KEYS[key][1]}")
    if len(raw["requirement"]) > MAX_PATTERN_LENGTH:
        raise KnownDeviationsError(
            f"{place}: requirement has {len(raw['requirement'])} characters; no id has more than {MAX_PATTERN_LENGTH}"
        )
    _check_values(raw, place)
    lists = {name: tuple(raw.get(name, ())) for name in LIST_KEYS}
    return KnownDeviation(**{**raw, **lists}, number=number, line=line)


def _check_values(raw: dict[str, Any], place: str) -> None:
    if raw["verdict"] not in VERDICTS:
        instead = "the verdict that it has when it occurs, and flaky = true" if raw["verdict"] == "flaky" else ""
        said = _value_text(raw["verdict"])
        raise KnownDeviationsError(f"{place}: verdict = {said}: write {instead or ENTRY_KEYS['verdict'][1]}")
    if "driver" in raw and not is_range(raw["driver"]):
        raise KnownDeviationsError(f"{place}: driver = {_value_text(raw['driver'])}: write {ENTRY_KEYS['driver'][1]}")
    if "deviation" in raw and not re.fullmatch(r"[0-9a-f]{8,64}", raw["deviation"]):
        raise KnownDeviationsError(
            f"{place}: deviation = {_value_text(raw['deviation'])}: write {ENTRY_KEYS['deviation'][1]}"
        )
    for key in LIST_KEYS:
        values = raw.get(key, ["any"])
        if not values or not all(isinstance(value, str) and value.strip() for value in values):
            raise KnownDeviationsError(f"{place}: {key} = {_value_text(raw[key])}: write {ENTRY_KEYS[key][1]}")


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict | list):
        return "{...}" if isinstance(value, dict) else "[...]" if value else "[]"
    return str(value).lower() if isinstance(value, bool) else escape_non_ascii(str(value), limit=80)


def observed_verdict(deviation: DeviationObservation) -> str:
    """Return the verdict of a deviation; of one that did not repeat, the verdict when it was observed."""
    if deviation.verdict not in UNPROVED_STATUSES:
        return deviation.verdict
    last = deviation.sequence[-1].outcome if deviation.sequence else None
    if isinstance(last, Died) or deviation.symptom.startswith(CRASH_SYMPTOMS):
        return "crashes"
    return "hangs" if isinstance(last, Hung) or deviation.symptom == HANG_SYMPTOM else "deviates"


def format_entry(deviation: DeviationResult, reason: str, *, tests: bool = False) -> str:
    """Return the TOML entry that accepts a deviation.

    The entry accepts only this deviation; for a crash, it accepts all crashes of the same requirement. After a process
    has corrupted memory, it may end by a different signal or an abort in each run. ``tests``: the entry accepts a
    repeatable deviation only in the tests that have shown it, and a repeatable deviation or crash only at the test
    values that have shown it. It accepts a hang in all tests and at all test values, because the calls that reach the
    hang change from run to run.
    """
    verdict, flaky = observed_verdict(deviation), deviation.verdict == "flaky"
    lines = [
        "[[known]]",
        f"requirement = {_quoted(deviation.requirements[0])}",
        *(() if verdict == "crashes" else (f"deviation = {_quoted(deviation.id)}",)),
        f"verdict = {_quoted(verdict)}",
        *(("flaky = true",) if flaky else ()),
        f"reason = {_quoted(reason)}",
        *(_test_lines(deviation) if tests and deviation.verdict == "deviates" else ()),
        *(_test_value_lines(deviation) if tests and deviation.verdict in ("deviates", "crashes") else ()),
    ]
    return "\n".join(lines) + "\n"


def _test_lines(deviation: DeviationResult) -> list[str]:
    """Return the lines that name the tests of a deviation; none if there are too many or an id is not plain ASCII."""
    tests = deviation.tests
    if not 0 < len(tests) <= MAX_TESTS or any(escape_non_ascii(test, limit=300) != test for test in tests):
        return []
    return _list_lines("tests", list(map(_quoted, tests)))


def _test_value_lines(deviation: DeviationResult) -> list[str]:
    """Return the lines that name the test values of a deviation; none if there are none or too many."""
    values = deviation.test_values
    quoted = [json.dumps(escape_value(value)) for value in values]
    return [] if not values or is_full(values) else _list_lines("test_values", quoted)


def _list_lines(key: str, quoted: Sequence[str]) -> list[str]:
    """Return the lines of a key whose value is a list: one line for a single element, else one for each."""
    return [f"{key} = [{quoted[0]}]"] if len(quoted) == 1 else [f"{key} = [", *(f"    {each}," for each in quoted), "]"]


def format_known_deviations(result: RunResult) -> str:
    """Return a file that accepts every deviation of a result: crashes by requirement, other deviations by id."""
    platform = result.platform
    tested = f"{platform.name}, {platform.version}, {platform.device_name}" if platform else "no platform"
    head = (
        f"# Known deviations of {escape_non_ascii(tested, limit=300)}\n"
        '# Give each entry a reason; until = 2027-03-31 and driver = ">=3.0, <4" narrow it.\n'
    )
    return head + format_entries(result, result.deviations)


def format_entries(result: RunResult, deviations: Iterable[DeviationResult]) -> str:
    """Return entries for some deviations of a result, with an empty line before each entry."""
    reason = UNTRIAGED_REASON.format(day=result.run.started[:10])
    tests = result.run.tier != SMOKE_TIER and is_complete(result.run)
    return "".join(f"\n{_commented_entry(deviation, reason, tests=tests)}" for deviation in deviations)


def _commented_entry(deviation: DeviationResult, reason: str, *, tests: bool) -> str:
    words = [*dict.fromkeys(word for word in deviation.conditions.values() if word), f"observed: {deviation.observed}"]
    if len(deviation.requirements) > 1:
        words.insert(0, f"one of {', '.join(deviation.requirements)}")
    return "".join(f"# {escape_non_ascii(word, limit=200)}\n" for word in words) + format_entry(
        deviation, reason, tests=tests
    )


def _quoted(text: str) -> str:
    """Return a text as a TOML string in visible ASCII.

    JSON quotes such text in the same form.
    """
    return json.dumps(escape_non_ascii(text, limit=300))


class KnownDeviationIndex:
    """The entries of a file, with a fast search by requirement and by the id of a deviation.

    A pattern is matched only with the ids that contain its longest literal text. ``every``: all entries, in the order
    of the file.
    """

    def __init__(self, every: Iterable[KnownDeviation]) -> None:
        self.every = list(every)
        self._places: dict[str, list[int]] = {}
        self._places_by_id: dict[str, list[int]] = {}
        for place, entry in enumerate(self.every):
            if entry.deviation:
                self._places_by_id.setdefault(entry.deviation[:ID_DIGITS], []).append(place)
            else:
                self._places.setdefault(entry.requirement, []).append(place)
        self._by_literal: dict[str, list[str]] = {}
        for pattern in filter(is_pattern, self._places):
            self._by_literal.setdefault(longest_literal(pattern), []).append(pattern)
        self._lengths = sorted({len(literal) for literal in self._by_literal})
        self._found: dict[str, list[int]] = {}

    def entries_for(self, requirement: str, full_id: str = "") -> list[KnownDeviation]:
        """Return the entries for a requirement and a deviation, in the order of the file.

        Their pattern matches the requirement. If they contain the id of a deviation, it is a prefix of ``full_id``.
        """
        named = (
            place
            for place in self._places_by_id.get(full_id[:ID_DIGITS], ())
            if full_id.startswith(self.every[place].deviation)
            and matches_pattern(self.every[place].requirement, requirement)
        )
        return [self.every[place] for place in sorted((*self._places_for(requirement), *named))]

    def _places_for(self, requirement: str) -> list[int]:
        """Return the places of the entries without the id of a deviation whose pattern matches a requirement."""
        if requirement not in self._found:
            literals = {
                requirement[start : start + length]
                for length in self._lengths
                for start in range(len(requirement) - length + 1)
            }
            patterns = {
                pattern
                for literal in literals
                for pattern in self._by_literal.get(literal, ())
                if matches_pattern(pattern, requirement)
            }
            found = (self._places.get(matching, ()) for matching in patterns | {requirement})
            self._found[requirement] = [place for places in found for place in places]
        return self._found[requirement]
