"""Stored files of earlier formats, written by earlier versions: converted, read back, and converted back."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import inspect

from clconform.calls.journal import FORMAT, CallLine
from clconform.calls.line_kinds import JournalLine
from clconform.calls.linked_allocations import Trace
from clconform.reports.fault_campaign import FaultCampaign, load_campaign
from clconform.reports.format_upgrade import NameRewriter, migrate_content, names_since
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import ResultError
from clconform.reports.known_deviations import parse_known_deviations
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_comparison import ResultComparison
from clconform.reports.result_consistency import load_result
from clconform.reports.result_matrix import ResultMatrix
from clconform.reports.run_result import RunResult
from clconform.reports.untrusted_files import GivenFileError
from clconform.runner.gate.policy import decide_gate
from clconform.tools.cli import cli
from clconform.validation.suppressions import read_suppressions
from tests.reports import fabricated_journals

if TYPE_CHECKING:
    from collections.abc import Iterator

EARLIER = range(1, FORMAT)
DOCUMENTS: dict[str, Any] = {
    "result.json": RunResult,
    "matrix.json": ResultMatrix,
    "comparison.json": ResultComparison,
    "faults.json": FaultCampaign,
    "trace.json": Trace,
}
LINES: dict[str, Any] = {"journal.jsonl": JournalLine, "calls.jsonl": CallLine}
ALL_FILES = (*DOCUMENTS, *LINES)
STORED_FILES = [(earlier, name) for earlier in EARLIER for name in ALL_FILES]


def stored_file(earlier: int, name: str) -> Path:
    """Return the path of a stored file of the given format."""
    return Path(__file__).parent / f"format_{earlier}" / name


def stored_values(earlier: int, name: str) -> list[Any]:
    """Return the JSON values of a stored file: a single value, or one for each line."""
    text = stored_file(earlier, name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name in LINES else [json.loads(text)]


def upgraded_values(earlier: int, name: str) -> list[Any]:
    """Return the values of a stored file in the present format."""
    _, content = migrate_content(stored_file(earlier, name).read_bytes(), name)
    return [json.loads(line) for line in content.splitlines()] if name in LINES else [json.loads(content)]


def collect_structs(type_: inspect.Type, found: dict[str, inspect.StructType]) -> dict[str, inspect.StructType]:
    """Map names to the structure types that a value of a type may contain."""
    if isinstance(type_, inspect.StructType) and type_.cls.__name__ not in found:
        found[type_.cls.__name__] = type_
        for field in type_.fields:
            collect_structs(field.type, found)
    for inner in ("item_type", "value_type"):
        if hasattr(type_, inner):
            collect_structs(getattr(type_, inner), found)
    for inner in (*getattr(type_, "types", ()), *getattr(type_, "item_types", ())):
        collect_structs(inner, found)
    return found


def all_structs() -> dict[str, inspect.StructType]:
    """Map names to the structure types of all kinds of files."""
    seen: dict[str, inspect.StructType] = {}
    for of in (*DOCUMENTS.values(), *LINES.values()):
        collect_structs(inspect.type_info(of), seen)
    return seen


@pytest.mark.parametrize(("earlier", "name"), STORED_FILES)
def test_stored_file_is_read_strictly_and_converted_back(earlier: int, name: str) -> None:
    of = DOCUMENTS.get(name) or LINES[name]
    back = NameRewriter(earlier, back=True)
    for old, new in zip(stored_values(earlier, name), upgraded_values(earlier, name), strict=True):
        msgspec.convert(new, of, strict=True)
        assert old != new or name == "calls.jsonl" or old.get("line") in ("item", "selection", "end", "partitions")
        assert back.rewrite(new, inspect.type_info(of)) == old


@pytest.mark.parametrize(("earlier", "name"), STORED_FILES)
def test_upgraded_file_contains_only_names_of_the_present_format(earlier: int, name: str) -> None:
    """Every key of a structure must be a field of its type, because the values of unknown keys are lost."""
    of = DOCUMENTS.get(name) or LINES[name]
    for new in upgraded_values(earlier, name):
        strict = msgspec.json.decode(msgspec.json.encode(msgspec.convert(new, of)))
        assert not set(_key_paths(new)) - set(_key_paths(strict)), "keys that no type of the present format has"
        assert not {value for key, value in _pairs(new) if key in ("line", "is")} & set(names_since(earlier).tags)


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key, each if isinstance(each, str) else None
            yield from _pairs(each)
    elif isinstance(value, list):
        for each in value:
            yield from _pairs(each)


def _key_paths(value: Any, place: str = "") -> Iterator[str]:
    """Yield the paths of keys whose values are not empty, except inside lookups, which omit other defaults, too."""
    if isinstance(value, dict):
        for key, each in value.items():
            if each or each is None:
                yield f"{place}.{key}"
            if key != "lookup":
                yield from _key_paths(each, f"{place}.{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _key_paths(each, f"{place}[{number}]")


@pytest.mark.parametrize("earlier", EARLIER)
def test_rename_table_names_existing_types_and_fields(earlier: int) -> None:
    every, names = all_structs(), names_since(earlier)
    tags = {type_.tag for type_ in every.values()}
    assert set(names.tags.values()) <= tags
    assert not set(names.tags) & tags
    for of, renamed in names.fields.items():
        fields = {field.encode_name for field in every[of].fields}
        assert set(renamed.values()) <= fields, of
        assert not set(renamed) & fields, f"{of}: a file of the present format would be changed again"
    for renames in names.values:
        assert not set(renames.names) & set(renames.names.values()), renames.places
        assert len(set(renames.names.values())) == len(renames.names), f"{renames.places}: two names become one"
        for place in renames.places:
            of, _, name = place.partition(".")
            assert name in {field.encode_name for field in every[of].fields}, place


@pytest.mark.parametrize("earlier", EARLIER)
def test_fields_renamed_in_one_format_get_different_names(earlier: int) -> None:
    """Two old field names of a type may become one name only if they were renamed in different formats."""
    later = names_since(earlier + 1).fields if earlier + 1 < FORMAT else {}
    for of, renamed in names_since(earlier).fields.items():
        own = {old: new for old, new in renamed.items() if old not in later.get(of, {})}
        assert len(set(own.values())) == len(own), of


@pytest.mark.parametrize("earlier", EARLIER)
@pytest.mark.parametrize("kind", ["new", "known", "less-severe"])
def test_result_survives_conversion_to_earlier_format_and_back(earlier: int, kind: Any) -> None:
    """The result contains all kinds of values, unlike the stored results."""
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j")
    gated = fabricated_journals.add_gate(assemble_result(journal, fabricated_journals.create_tables()), kind)
    result = msgspec.json.decode(msgspec.json.encode(gated))
    old = NameRewriter(earlier, back=True).rewrite(result, inspect.type_info(RunResult))
    assert old["format"] == earlier
    assert old["deviations"][0].keys() >= {"id", "function", "records", "allowed", "observed", "verdict"}
    assert ("sure" in old["deviations"][0]) is (earlier == 1)
    _, content = migrate_content(json.dumps(old).encode(), "old.json")
    assert json.loads(content) == result


@pytest.mark.parametrize("earlier", EARLIER)
def test_verdicts_ids_and_known_deviations_are_unchanged_by_upgrade(earlier: int, tmp_path: Path) -> None:
    (old,) = stored_values(earlier, "result.json")
    for name in ("result.json", "known.toml", "faults.json"):
        (tmp_path / name).write_bytes(migrate_content(stored_file(earlier, name).read_bytes(), name)[1])
    new = load_result(tmp_path / "result.json")
    fields = ("id", "key", "function", "verdict", "allowed", "observed")
    assert [[getattr(each, name) for name in fields] for each in new.deviations] == [
        [each[name] for name in fields] for each in old["deviations"]
    ]
    assert [each.requirements for each in new.deviations] == [each["records"] for each in old["deviations"]]
    statuses = {"not-provoked": "not-covered"}
    assert [(each.id, each.status) for each in new.requirements] == [
        (each["id"], statuses.get(each["status"], each["status"])) for each in old["records"]
    ]
    text = (tmp_path / "known.toml").read_text(encoding="utf-8")
    (entries,) = tomllib.loads(stored_file(earlier, "known.toml").read_text(encoding="utf-8")).values()
    renamed = [{"requirement" if key == "record" else key: value for key, value in each.items()} for each in entries]
    assert tomllib.loads(text) == {"known": renamed}
    gate = decide_gate(new, parse_known_deviations(text, "known.toml"), dt.date.fromisoformat(old["gate"]["today"]))
    assert gate.exit_code == 0
    (faults,) = stored_values(earlier, "faults.json")
    assert load_campaign(tmp_path / "faults.json").summary.faults == faults["summary"]["faults"]


@pytest.mark.parametrize("earlier", EARLIER)
def test_truncated_journal_is_converted_as_far_as_possible(earlier: int) -> None:
    whole = stored_file(earlier, "journal.jsonl").read_bytes()
    _, all_of_it = migrate_content(whole, "j")
    for cut in range(len(whole) // 3, len(whole), len(whole) // 29):
        _, content = migrate_content(whole[:cut], "j")
        complete = whole[:cut].count(b"\n")
        assert content.split(b"\n")[:complete] == all_of_it.split(b"\n")[:complete]
        assert content.split(b"\n")[-1] == whole[:cut].split(b"\n")[-1]
        assert parse_journal(content, "j").cut_short


@pytest.mark.parametrize(("earlier", "name"), [*STORED_FILES, *((earlier, "known.toml") for earlier in EARLIER)])
def test_file_in_present_format_is_unchanged_by_migration(earlier: int, name: str) -> None:
    kind, content = migrate_content(stored_file(earlier, name).read_bytes(), name)
    assert migrate_content(content, name) == (kind, content)


def test_multi_line_text_that_looks_like_an_old_key_is_unchanged() -> None:
    text = b'[[known]]\nreason = """\nrecord = 1\n"""\nrequirement = "clFinish/*"\nverdict = "deviates"\n'
    assert migrate_content(text, "known.toml") == ("known deviations", text)


def test_suppressions_of_an_earlier_format_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "suppress.toml"
    path.write_text('# ours\n[[suppress]]\nreason = "ours"\nrecord = "clFinish/*"  # all\n', encoding="utf-8")
    with pytest.raises(
        GivenFileError, match=r"the key record is format 2; convert it with `clconform dev migrate .*toml`"
    ):
        read_suppressions(path)
    kind, content = migrate_content(path.read_bytes(), "suppress.toml")
    assert kind == "suppressions"
    assert content == b'# ours\n[[suppress]]\nreason = "ours"\nrequirement = "clFinish/*"  # all\n'
    path.write_bytes(content)
    assert [each.requirement for each in read_suppressions(path)] == ["clFinish/*"]
    assert migrate_content(content, "suppress.toml") == (kind, content)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('reason = """\n[[known]]\n"""\n', "reason is not a list of entries"),
        ('known = 3\nreason = """\n[[known]]\n"""\n', "known is not a list of entries"),
        ('a = [{b = """\n[[known]]\n"""}]\n', "it has no entry"),
        ("[[known]]\nrecord = \n", "not valid TOML"),
        ('[[known]]\n"record" = "clFinish/*"\n', "replace them by hand: record is requirement"),
        ('[[known]]\nrecord = "a"\nreason = """\nrecord = 1\n"""\n', "replace them by hand: record is requirement"),
    ],
)
def test_toml_file_that_cannot_be_converted_is_rejected(text: str, said: str) -> None:
    with pytest.raises(ResultError, match=said):
        migrate_content(text.encode(), "known.toml")


def test_toml_file_in_another_encoding_is_rejected() -> None:
    with pytest.raises(ResultError, match="not UTF-8 text"):
        migrate_content(b'[[known]]\nreason = "\xff"\n', "known.toml")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a result"),
        (b"[1]", "not a result"),
        (b"\xff\xfe", "not a result"),
        (b'{"line":"run","format":99}\n', "format 99"),
        (b'{"line":"run","format":1}\nno line\n{"line":"end"}\n', "line 2 is broken: no line"),
        (b'{"platform":null,"run":{},"summary":{},"records":[],"deviations":[],"format":99}', "format 99"),
    ],
)
def test_content_that_cannot_be_upgraded_is_rejected(content: bytes, said: str) -> None:
    with pytest.raises(ResultError, match=said):
        migrate_content(content, "x")


@pytest.mark.parametrize("earlier", EARLIER)
def test_migrate_command_stores_copies_of_the_originals(earlier: int, tmp_path: Path) -> None:
    names = ("journal.jsonl", "calls.jsonl", "result.json")
    before = {name: stored_file(earlier, name).read_bytes() for name in names}
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(cli, ["dev", "migrate", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {name: (tmp_path / f"{name}.before-format-{FORMAT}").read_bytes() for name in before} == before
    assert load_result(tmp_path / "result.json").deviations
    again = CliRunner().invoke(cli, ["dev", "migrate", str(tmp_path)])
    assert again.output.count("nothing to change") == len(before)


def test_migrate_command_changes_nothing_if_one_file_is_invalid(tmp_path: Path) -> None:
    wrong, right = tmp_path / "wrong.json", tmp_path / "result.json"
    wrong.write_text("{}", encoding="utf-8")
    right.write_bytes(stored_file(1, "result.json").read_bytes())
    for given, said in (([right, wrong], "wrong.json"), ([tmp_path / "none"], "no such file")):
        done = CliRunner().invoke(cli, ["dev", "migrate", *map(str, given)])
        assert done.exit_code == 2
        assert said in done.output
        assert right.read_bytes() == stored_file(1, "result.json").read_bytes()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "contains none of" in CliRunner().invoke(cli, ["dev", "migrate", str(empty)]).output


def test_migrate_command_does_not_overwrite_an_earlier_copy(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_bytes(stored_file(1, "known.toml").read_bytes())
    (tmp_path / "known.toml.before-format-3").write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(cli, ["dev", "migrate", str(tmp_path / "known.toml")])
    assert done.exit_code == 2
    assert "exists already" in done.output
    assert (tmp_path / "known.toml.before-format-3").read_text(encoding="utf-8") == "mine"
