"""The documents are tested: commands run, examples are read, and named items exist."""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pytest
from markdown_it import MarkdownIt

from clconform.calls.journal import JournalLine
from clconform.reports.known_deviations import parse_known_deviations
from clconform.reports.run_result import DeviationResult
from clconform.reports.status_policy import STATUSES
from clconform.runner.gate.policy import CODES
from clconform.spec_tables import load
from clconform.tools import explain_command
from clconform.tools.cli import cli

from . import explained, forked, in_process

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click
    from markdown_it.token import Token


ROOT = Path(__file__).resolve().parents[1]
FOR_A_SHELL = re.compile("[|&;$<>`]")
"""Characters that only a shell interprets."""
RUN = ("README.md", "docs/terms.md", "docs/formats.md", "docs/gate.md", "docs/adding-a-function.md")
"""The documents whose commands are run, each in its own folder, from top to bottom."""
READ = (*RUN, "ARCHITECTURE.md", "docs/quality.md", "docs/new-revision.md")
"""The documents whose other contents are checked."""

FAST = "--tier tables --minimise-seconds 0"
DEVIATING = f"--simulated flat-4 --fault list-fills-unused-entries {FAST} --requirement clGetPlatformIDs/success"
PARTITION = "suites/chapters/partition"
PART_OF_IT = f"{FAST} --requirement clCreateSubDevices/CL_INVALID_VALUE/2 {PARTITION}/test_create_sub_devices.py"
PLACEHOLDERS = {
    "--driver /path/to/lib.so": f"{DEVIATING} --journal full suites/chapters/platforms",
    f"numa-16 {PARTITION}": f"numa-16 {PART_OF_IT}",
    f"short-device-array-accepted {PARTITION}": f"short-device-array-accepted {PART_OF_IT}",
    "--quick --requirement 'clCreateSubDevices/*'": "--quick --record clCreateSubDevices/success",
    "--out OUT suites/errors suites/queries": "--out OUT --tier tables --requirement 'clEnqueueFillBuffer/*' suites/errors",
    "FOLDER/*": "stored",
    ".ci/intended-changes.toml": f"{ROOT}/.ci/intended-changes.toml",
}
"""Placeholders and long commands in documents, with the text to run instead."""
FIRST = "clconform run --driver /path/to/lib.so --seed 1"
"""The command that is run once for all documents."""
EXIT_CODES = {
    FIRST: 10,
    "clconform run --driver /path/to/lib.so": 10,
    "clconform run --quick": 10,
    "clconform run --quick --requirement 'clCreateSubDevices/*'": 10,
    "clconform run --simulated numa-16 --fault short-device-array-accepted suites/chapters/partition": 10,
}
"""Commands with exit codes other than 0, by their outcome."""
NOT_RUN = {
    "python3 -m venv .venv && .venv/bin/pip install -q '.[pocl]' && .venv/bin/clconform run": "installs packages",
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev,pocl]' && .venv/bin/pytest -n auto --dist loadfile": (
        "installs packages"
    ),
    "pytest tests/test_ids.py -k clCreateSampler/CL_INVALID_VALUE/1": "these tests are part of every run of our own",
    "clconform mutate --requirement 'clCreateSampler/*' --simulated everything": "in tests/selftest",
    "python -m tests.dropped clCreateSampler/CL_INVALID_VALUE/1": "in tests/test_ids.py, with other records",
}
"""Commands that are not run, with the reason."""
ANSWERS = re.compile(r"[0-9a-f]{8}  (deviates|crashes|hangs)  ")
"""The start of a block that shows terminal output."""
PLACEHOLDER = re.compile(r"\.{3}|[*{}<>]|(^|[/.])[A-Z]+($|[/.])")
"""A path, or a part of a path, that stands for many."""


class Block(NamedTuple):
    """A code block: its language, empty if indented or without a language, and its text."""

    language: str
    text: str
    indented: bool


@functools.cache
def tokens(page: str) -> tuple[Token, ...]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return tuple(MarkdownIt("commonmark").enable("table").parse(text))


def blocks(page: str) -> Iterator[Block]:
    for token in tokens(page):
        if token.type in ("fence", "code_block"):
            yield Block(token.info.strip(), token.content, token.type == "code_block")


def inline(page: str, kind: str) -> Iterator[Token]:
    for token in tokens(page):
        for child in token.children or ():
            if child.type == kind:
                yield child


def quoted(page: str) -> list[str]:
    """Return the texts in backquotes in a document."""
    return [child.content for child in inline(page, "code_inline")]


def commands(page: str) -> list[str]:
    """Return the command lines in a document's blocks, without comments."""
    found = []
    for block in blocks(page):
        if (block.indented or block.language in ("bash", "console", "sh")) and not ANSWERS.match(block.text):
            lines = re.sub(r"\s*\\\n\s*", " ", block.text).splitlines()
            found += [re.sub(r"\s+# .*", "", line) for line in lines if line.strip()]
    return found


def filled_in(line: str) -> str:
    """Return the command line to run for a command line of a document."""
    return functools.reduce(lambda text, pair: text.replace(*pair), PLACEHOLDERS.items(), line)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the first command writes: a small run with a deviation and a full call log."""
    folder = tmp_path_factory.mktemp("stored")
    done = in_process.call(folder, *shlex.split(filled_in(FIRST))[1:])
    assert done.returncode == EXIT_CODES[FIRST], done.stdout + done.stderr
    return folder / "clconform-out"


def in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line in bash, with this Python and this package's command line first on the path."""
    bin_folder = folder / ".bin"
    bin_folder.mkdir(exist_ok=True)
    for name, module in (("clconform", "-m clconform.tools"), ("python", "")):
        script = bin_folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    environment = environment_in(folder) | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    bash = shutil.which("bash") or "/bin/bash"
    return subprocess.run(
        [bash, "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def environment_in(folder: Path) -> dict[str, str]:
    """Return the environment of a command that runs in a folder."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return variables | {"GITHUB_STEP_SUMMARY": str(folder / "page.md")}


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_document_run(
    page: str, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain_command, "RequirementExplainer", explained.known_before)
    for name in ("clconform-out", "stored"):
        shutil.copytree(stored, tmp_path / name)
    for line in commands(page):
        if line in (FIRST, *NOT_RUN):
            continue
        command = filled_in(line)
        words = shlex.split(command)
        alone = words[0] == "clconform" and not FOR_A_SHELL.search(command)
        done = in_process.call(tmp_path, *words[1:]) if alone else in_shell(command, tmp_path)
        output = done.stdout + done.stderr
        assert done.returncode == EXIT_CODES.get(line, 0), f"{page}: {command}\n{output[-3000:]}"


def test_the_tables_of_this_test_are_about_commands_that_are_there() -> None:
    lines = [line for page in RUN for line in commands(page)]
    assert [line for line in (*NOT_RUN, *EXIT_CODES) if line not in lines] == []
    assert [part for part in PLACEHOLDERS if not any(part in line for line in lines)] == []


def test_the_digest_in_the_document_of_formats_is_the_one_that_its_command_prints(tmp_path: Path) -> None:
    (line,) = (one for block in blocks("docs/formats.md") for one in block.text.splitlines() if "sha256sum" in one)
    command, _, digest = line.partition("#")
    assert in_shell(command, tmp_path).stdout.startswith(digest.strip())


@pytest.mark.skipif(importlib.util.find_spec("pocl_binary_distribution") is None, reason="needs the PoCL of PyPI")
def test_the_readme_shows_what_the_terminal_shows(tmp_path: Path) -> None:
    (shown,) = (block.text for block in blocks("README.md") if ANSWERS.match(block.text))
    (command,) = (each for each in quoted("README.md") if each.startswith("clconform run --embedded"))
    done = forked.run(tmp_path, *shlex.split(f"{command} --seed 1")[1:], environment=environment_in(tmp_path))
    assert shown in done.stdout, done.stdout + done.stderr


# Names in documents


@pytest.mark.parametrize("page", READ)
def test_commands_in_the_text_have_the_options_that_they_are_given(page: str) -> None:
    lines = [*commands(page), *(each for each in quoted(page) if each.startswith("clconform "))]
    wrong = [problem for line in lines for problem in mistakes(line)]
    every_option = {name for command in cli.commands.values() for name in options(command)}
    wrong += [each for each in quoted(page) if re.match(r"--\w", each) and each.split()[0] not in every_option]
    assert wrong == []


def options(command: click.Command) -> set[str]:
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}


def mistakes(line: str) -> Iterator[str]:
    """Yield the words of a command line that this package's command line does not have."""
    for part in re.split(r"&&|\|", line):
        words = shlex.split(part, comments=True) if part.strip().startswith("clconform ") else []
        if not words or words[1].isupper():
            continue
        command = cli.commands.get(words[1])
        if command is None:
            yield f"{line}: no command {words[1]}"
            continue
        given = words[2 : words.index("--") if "--" in words else None]
        known = options(command)
        yield from (f"{line}: no option {each}" for each in given if each.startswith("-") and each not in known)


def test_a_command_that_is_not_there_is_found() -> None:
    """Test the check itself."""
    assert list(mistakes("clconform rum --seed 1")) == ["clconform rum --seed 1: no command rum"]
    assert len(list(mistakes("clconform run --sed 1 -- -k x"))) == 1
    assert list(mistakes("clconform run --seed 1 -- -k x")) == []


@pytest.mark.parametrize("page", READ)
def test_links_lead_somewhere(page: str) -> None:
    addresses = [str(child.attrGet("href")) for child in inline(page, "link_open")]
    addresses += [str(child.attrGet("src")) for child in inline(page, "image")]
    assert [each for each in addresses if not leads_somewhere(page, each)] == []


def leads_somewhere(page: str, address: str) -> bool:
    if re.match(r"[a-z]+:", address):
        return True
    name, _, anchor = address.partition("#")
    target = (ROOT / page).parent / name if name else ROOT / page
    if not target.exists():
        return False
    return not anchor or anchor in anchors(str(target.resolve().relative_to(ROOT)))


def anchors(page: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub generates them."""
    every = tokens(page)
    titles = [every[place + 1].content for place, token in enumerate(every) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", READ)
def test_paths_and_modules_of_the_repository_are_there(page: str) -> None:
    assert [each for each in quoted(page) if not is_there(each)] == []


def is_there(name: str) -> bool:
    """Return whether a name in backquotes exists, unless it does not look like a file or module of ours."""
    if PLACEHOLDER.search(name) or " " in name or name.startswith("clconform-out/"):
        return True
    first = re.split(r"[/.]", name)[0]
    if "/" in name and ((ROOT / first).is_dir() or name.startswith(".ci")):
        return (ROOT / name).exists()
    if (
        re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", name)
        and not name.endswith("jsonl")
        and (ROOT / first / "__init__.py").is_file()
    ):
        return importlib.util.find_spec(f"clconform.{name}") is not None
    return True


@pytest.mark.parametrize("page", READ)
def test_records_that_are_named_are_in_the_tables(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"\bcl[A-Z]\w+/(?:CL_\w+|success|effect|usage|\*)(?:/(?:\d+|\*))?", text)
    known = load().requirements
    assert [each for each in named if each not in known and not any(fnmatchcase(one, each) for one in known)] == []


def test_the_classes_that_the_terms_name_are_there() -> None:
    named = {each for each in quoted("docs/terms.md") if re.fullmatch(r"([A-Z][a-z]+)+", each)}
    packages = {path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"}
    code = "\n".join(path.read_text(encoding="utf-8") for folder in packages for path in folder.rglob("*.py"))
    there = {name for pair in re.findall(r"\bclass (\w+)|^(\w+) = ", code, re.MULTILINE) for name in pair}
    assert len(named) > 15
    assert sorted(named - there) == []


def test_the_terms_have_every_status() -> None:
    rows = [token.content for token in tokens("docs/terms.md") if token.type == "inline"]
    assert [status for status in STATUSES if not any(re.search(rf"^(`[^|]*, )?`{status}`", row) for row in rows)] == []


def test_the_document_of_the_gate_has_every_finding_and_its_exit_code() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    assert {kind: int(code) for kind, code in re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", text, re.MULTILINE)} == CODES


# Examples


def examples(language: str) -> list[tuple[str, str]]:
    return [(page, block.text) for page in READ for block in blocks(page) if block.language == language]


@pytest.mark.parametrize(("page", "text"), examples("json"))
def test_json_is_what_our_readers_take(page: str, text: str) -> None:
    raw = json.loads(text)
    read = msgspec.json.decode(text, type=JournalLine if "line" in raw else DeviationResult)
    unknown = set(raw) - {"line"} - set(read.__struct_fields__)
    assert not unknown, f"{page}: {unknown}"
    assert msgspec.to_builtins(read).items() >= {key: value for key, value in raw.items() if key != "call"}.items()


@pytest.mark.parametrize(("page", "text"), examples("toml"))
def test_toml_is_what_our_reader_takes(page: str, text: str) -> None:
    assert parse_known_deviations(text, page)


@pytest.mark.parametrize(("page", "text"), examples("python"))
def test_functions_in_examples_are_those_of_the_code(page: str, text: str) -> None:
    """A function is identified by its name and by the requirement that it is declared for."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        declared = [f"@{ast.unparse(each)}".replace("'", '"') for each in node.decorator_list]
        pattern = r"\n".join(re.escape(each) for each in (*declared, f"def {node.name}("))
        folders = ("oracles", "suites")
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
        assert any(re.search(pattern, path.read_text(encoding="utf-8")) for path in paths), f"{page}: {declared}"


def test_every_block_has_a_language_that_is_checked() -> None:
    unknown = [
        (page, block.text[:40])
        for page in READ
        for block in blocks(page)
        if not block.indented and block.language not in ("json", "toml", "python", "bash", "console", "sh")
    ]
    assert [page for page, _ in unknown] == ["ARCHITECTURE.md"], unknown
