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

from clconform.calls.line_kinds import JournalLine
from clconform.reports.known_deviations import parse_known_deviations
from clconform.reports.run_result import DeviationResult
from clconform.reports.status_policy import STATUSES
from clconform.runner.gate.policy import CODES
from clconform.spec_tables import load
from clconform.tools import explain_command

from . import explained, forked_runs, in_process
from .every_command import commands_by_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click
    from markdown_it.token import Token


ROOT = Path(__file__).resolve().parents[1]
SHELL_CHARACTERS = re.compile("[|&;$<>`]")
"""Characters that only a shell interprets."""
RUNNABLE_DOCUMENTS = ("README.md", "docs/terms.md", "docs/formats.md", "docs/gate.md", "docs/adding-a-function.md")
"""The documents whose commands are run, each in its own folder, from top to bottom."""
CHECKED_DOCUMENTS = (*RUNNABLE_DOCUMENTS, "ARCHITECTURE.md", "docs/quality.md", "docs/new-revision.md")
"""The documents whose other contents are checked."""

FAST = "--tier tables --minimise-seconds 0"
DEVIATING = f"--simulated flat-4 --fault list-fills-unused-entries {FAST} --requirement clGetPlatformIDs/success"
PARTITION = "suites/chapters/partition"
PARTITION_SELECTION = (
    f"{FAST} --requirement clCreateSubDevices/CL_INVALID_VALUE/2 {PARTITION}/test_create_sub_devices.py"
)
SUBSTITUTES = {
    "--driver /path/to/lib.so": f"{DEVIATING} --journal full suites/chapters/platforms",
    f"numa-16 {PARTITION}": f"numa-16 {PARTITION_SELECTION}",
    f"short-device-array-accepted {PARTITION}": f"short-device-array-accepted {PARTITION_SELECTION}",
    "--quick --requirement 'clCreateSubDevices/*'": "--quick --requirement clCreateSubDevices/success",
    "--out OUT suites/errors suites/queries": (
        "--out OUT --tier tables --requirement 'clEnqueueFillBuffer/*' suites/errors"
    ),
    "FOLDER/*": "stored",
    ".ci/intended-changes.toml": f"{ROOT}/.ci/intended-changes.toml",
}
"""Placeholders and long commands in documents, with the text to run instead."""
FIRST_COMMAND = "clconform run --driver /path/to/lib.so --seed 1"
"""The command that is run once for all documents."""
EXIT_CODES = {
    FIRST_COMMAND: 10,
    "clconform run --driver /path/to/lib.so": 10,
    "clconform run --quick": 10,
    "clconform run --quick --requirement 'clCreateSubDevices/*'": 10,
    "clconform run --simulated numa-16 --fault short-device-array-accepted suites/chapters/partition": 10,
}
"""Maps commands to their exit codes, if these are not 0."""
NOT_RUN = {
    "python3 -m venv .venv && .venv/bin/pip install -q '.[pocl]' && .venv/bin/clconform run": "installs packages",
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev,pocl]' && .venv/bin/pytest -n auto --dist loadfile": (
        "installs packages"
    ),
    "pytest tests/test_ids.py -k clCreateSampler/CL_INVALID_VALUE/1": "these tests are part of every run of our own",
    "clconform dev mutate --requirement 'clCreateSampler/*' --simulated everything": "in tests/selftest",
    "python -m tests.dropped clCreateSampler/CL_INVALID_VALUE/1": "in tests/test_ids.py, with other records",
}
"""Commands that are not run, with the reason."""
COMMANDS = commands_by_path()
TERMINAL_OUTPUT = re.compile(r"[0-9a-f]{8}  (deviates|crashes|hangs)  ")
"""The start of a block that shows terminal output."""
PLACEHOLDER = re.compile(r"\.{3}|[*{}<>]|(^|[/.])[A-Z]+($|[/.])")
"""A path, or a part of a path, that stands for many."""


class CodeBlock(NamedTuple):
    """A code block: its language, empty if indented or without a language, and its text."""

    language: str
    text: str
    indented: bool


@functools.cache
def parse_page(page: str) -> tuple[Token, ...]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return tuple(MarkdownIt("commonmark").enable("table").parse(text))


def code_blocks(page: str) -> Iterator[CodeBlock]:
    for token in parse_page(page):
        if token.type in ("fence", "code_block"):
            yield CodeBlock(token.info.strip(), token.content, token.type == "code_block")


def inline_tokens(page: str, kind: str) -> Iterator[Token]:
    for token in parse_page(page):
        for child in token.children or ():
            if child.type == kind:
                yield child


def quoted_texts(page: str) -> list[str]:
    """Return the texts in backquotes in a document."""
    return [child.content for child in inline_tokens(page, "code_inline")]


def command_lines(page: str) -> list[str]:
    """Return the command lines in a document's blocks, without comments."""
    found = []
    for block in code_blocks(page):
        if (block.indented or block.language in ("bash", "console", "sh")) and not TERMINAL_OUTPUT.match(block.text):
            lines = re.sub(r"\s*\\\n\s*", " ", block.text).splitlines()
            found += [re.sub(r"\s+# .*", "", line) for line in lines if line.strip()]
    return found


def substitute(line: str) -> str:
    """Return the command line to run for a command line of a document."""
    return functools.reduce(lambda text, pair: text.replace(*pair), SUBSTITUTES.items(), line)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the first command writes: a small run with a deviation and a full call log."""
    folder = tmp_path_factory.mktemp("stored")
    done = in_process.run_command(folder, *shlex.split(substitute(FIRST_COMMAND))[1:])
    assert done.returncode == EXIT_CODES[FIRST_COMMAND], done.stdout + done.stderr
    return folder / "clconform-out"


def run_in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line in bash, with this Python and this package's command line first on the path."""
    bin_folder = folder / ".bin"
    bin_folder.mkdir(exist_ok=True)
    for name, module in (("clconform", "-m clconform.tools"), ("python", "")):
        script = bin_folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    environment = environment_for(folder) | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    bash = shutil.which("bash") or "/bin/bash"
    return subprocess.run(
        [bash, "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def environment_for(folder: Path) -> dict[str, str]:
    """Return the environment of a command that runs in a folder."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return variables | {"GITHUB_STEP_SUMMARY": str(folder / "page.md")}


@pytest.mark.parametrize("page", RUNNABLE_DOCUMENTS)
def test_command_lines_of_a_document_have_the_documented_exit_codes(
    page: str, stored_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain_command, "RequirementExplainer", explained.create_similar_explainer)
    for name in ("clconform-out", "stored"):
        shutil.copytree(stored_run, tmp_path / name)
    for line in command_lines(page):
        if line in (FIRST_COMMAND, *NOT_RUN):
            continue
        command = substitute(line)
        words = shlex.split(command)
        alone = words[0] == "clconform" and not SHELL_CHARACTERS.search(command)
        done = in_process.run_command(tmp_path, *words[1:]) if alone else run_in_shell(command, tmp_path)
        output = done.stdout + done.stderr
        assert done.returncode == EXIT_CODES.get(line, 0), f"{page}: {command}\n{output[-3000:]}"


def test_exceptions_for_command_lines_occur_in_the_documents() -> None:
    lines = [line for page in RUNNABLE_DOCUMENTS for line in command_lines(page)]
    assert [line for line in (*NOT_RUN, *EXIT_CODES) if line not in lines] == []
    assert [part for part in SUBSTITUTES if not any(part in line for line in lines)] == []


def test_digest_in_formats_page_equals_the_output_of_its_command(tmp_path: Path) -> None:
    (line,) = (one for block in code_blocks("docs/formats.md") for one in block.text.splitlines() if "sha256sum" in one)
    command, _, digest = line.partition("#")
    assert run_in_shell(command, tmp_path).stdout.startswith(digest.strip())


@pytest.mark.skipif(importlib.util.find_spec("pocl_binary_distribution") is None, reason="needs the PoCL of PyPI")
def test_terminal_output_in_readme_equals_that_of_its_command(tmp_path: Path) -> None:
    (shown,) = (block.text for block in code_blocks("README.md") if TERMINAL_OUTPUT.match(block.text))
    (command,) = (each for each in quoted_texts("README.md") if each.startswith("clconform run --embedded"))
    done = forked_runs.run(tmp_path, *shlex.split(f"{command} --seed 1")[1:], environment=environment_for(tmp_path))
    assert shown in done.stdout, done.stdout + done.stderr


# Names in documents


@pytest.mark.parametrize("page", CHECKED_DOCUMENTS)
def test_quoted_command_lines_have_existing_commands_and_options(page: str) -> None:
    lines = [*command_lines(page), *(each for each in quoted_texts(page) if each.startswith("clconform "))]
    wrong = [problem for line in lines for problem in unknown_words(line)]
    every_option = {name for command in COMMANDS.values() for name in option_names(command)}
    wrong += [each for each in quoted_texts(page) if re.match(r"--\w", each) and each.split()[0] not in every_option]
    assert wrong == []


def option_names(command: click.Command) -> set[str]:
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}


def unknown_words(line: str) -> Iterator[str]:
    """Yield the words of a command line that this package's command line does not have."""
    for part in re.split(r"&&|\|", line):
        words = shlex.split(part, comments=True) if part.strip().startswith("clconform ") else []
        if not words or words[1].isupper():
            continue
        path = " ".join(words[1 : 3 if words[1] == "dev" else 2])
        command = COMMANDS.get(path)
        if command is None:
            yield f"{line}: no command {path}"
            continue
        given = words[: words.index("--") if "--" in words else None]
        known = option_names(command)
        yield from (f"{line}: no option {each}" for each in given if each.startswith("-") and each not in known)


def test_check_of_command_lines_finds_unknown_commands_and_options() -> None:
    """Test the check itself."""
    assert list(unknown_words("clconform rum --seed 1")) == ["clconform rum --seed 1: no command rum"]
    assert list(unknown_words("clconform dev mutat")) == ["clconform dev mutat: no command dev mutat"]
    assert list(unknown_words("clconform dev mutate --section 5.2")) == []
    assert len(list(unknown_words("clconform run --sed 1 -- -k x"))) == 1
    assert list(unknown_words("clconform run --seed 1 -- -k x")) == []


def test_commands_for_developers_are_named_with_dev() -> None:
    """In documents, scripts, and the messages and docstrings of packages."""
    names = "|".join(path.removeprefix("dev ") for path in COMMANDS if path.startswith("dev "))
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".ci").iterdir()]
    files += [path for folder in packages for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".json")]
    named = re.compile(rf"\bclconform\"?\s+({names})\b")
    assert [str(path) for path in files if named.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("page", CHECKED_DOCUMENTS)
def test_links_and_images_of_a_document_have_existing_targets(page: str) -> None:
    addresses = [str(child.attrGet("href")) for child in inline_tokens(page, "link_open")]
    addresses += [str(child.attrGet("src")) for child in inline_tokens(page, "image")]
    assert [each for each in addresses if not has_target(page, each)] == []


def has_target(page: str, address: str) -> bool:
    if re.match(r"[a-z]+:", address):
        return True
    name, _, anchor = address.partition("#")
    target = (ROOT / page).parent / name if name else ROOT / page
    if not target.exists():
        return False
    return not anchor or anchor in heading_anchors(str(target.resolve().relative_to(ROOT)))


def heading_anchors(page: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub generates them."""
    every = parse_page(page)
    titles = [every[place + 1].content for place, token in enumerate(every) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", CHECKED_DOCUMENTS)
def test_repository_paths_and_modules_exist(page: str) -> None:
    assert [each for each in quoted_texts(page) if not exists(each)] == []


def exists(name: str) -> bool:
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


@pytest.mark.parametrize("page", CHECKED_DOCUMENTS)
def test_named_requirements_are_in_the_tables(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"\bcl[A-Z]\w+/(?:CL_\w+|success|effect|usage|\*)(?:/(?:\d+|\*))?", text)
    known = load().requirements
    assert [each for each in named if each not in known and not any(fnmatchcase(one, each) for one in known)] == []


def test_classes_named_in_the_terms_page_exist() -> None:
    named = {each for each in quoted_texts("docs/terms.md") if re.fullmatch(r"([A-Z][a-z]+)+", each)}
    packages = {path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"}
    code = "\n".join(path.read_text(encoding="utf-8") for folder in packages for path in folder.rglob("*.py"))
    there = {name for pair in re.findall(r"\bclass (\w+)|^(\w+) = ", code, re.MULTILINE) for name in pair}
    assert len(named) > 15
    assert sorted(named - there) == []


def test_terms_page_lists_every_status() -> None:
    rows = [token.content for token in parse_page("docs/terms.md") if token.type == "inline"]
    assert [status for status in STATUSES if not any(re.search(rf"^(`[^|]*, )?`{status}`", row) for row in rows)] == []


def test_gate_page_has_every_finding_and_exit_code() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    assert {kind: int(code) for kind, code in re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", text, re.MULTILINE)} == CODES


# Examples


def examples_in(language: str) -> list[tuple[str, str]]:
    return [
        (page, block.text) for page in CHECKED_DOCUMENTS for block in code_blocks(page) if block.language == language
    ]


@pytest.mark.parametrize(("page", "text"), examples_in("json"))
def test_json_examples_can_be_parsed(page: str, text: str) -> None:
    raw = json.loads(text)
    read = msgspec.json.decode(text, type=JournalLine if "line" in raw else DeviationResult)
    unknown = set(raw) - {"line"} - set(read.__struct_fields__)
    assert not unknown, f"{page}: {unknown}"
    assert msgspec.to_builtins(read).items() >= {key: value for key, value in raw.items() if key != "call"}.items()


@pytest.mark.parametrize(("page", "text"), examples_in("toml"))
def test_toml_examples_can_be_parsed(page: str, text: str) -> None:
    assert parse_known_deviations(text, page)


@pytest.mark.parametrize(("page", "text"), examples_in("python"))
def test_python_functions_in_examples_exist_with_the_same_decorators(page: str, text: str) -> None:
    """A function is identified by its name and by the requirement that it is declared for."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        declared = [f"@{ast.unparse(each)}".replace("'", '"') for each in node.decorator_list]
        pattern = r"\n".join(re.escape(each) for each in (*declared, f"def {node.name}("))
        folders = ("oracles", "suites", "selftest/faults")
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
        assert any(re.search(pattern, path.read_text(encoding="utf-8")) for path in paths), f"{page}: {declared}"


def test_every_block_has_a_checked_language() -> None:
    unknown = [
        (page, block.text[:40])
        for page in CHECKED_DOCUMENTS
        for block in code_blocks(page)
        if not block.indented and block.language not in ("json", "toml", "python", "bash", "console", "sh")
    ]
    assert [page for page, _ in unknown] == ["ARCHITECTURE.md"], unknown
