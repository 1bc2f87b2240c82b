"""Renews the committed files that are generated from the code: ``python -m tests.renew [--slow]``.

It prints each file that it has changed, and exits with 1 if there are any, so that CI can check that none is outdated.
``--slow`` also repeats the committed violations and searches again for those that are no longer found; this takes
minutes. Files that are generated from results of drivers (``docs/interpretations.md``, ``docs/coverage.md``,
``suites/smoke.txt``) have commands of their own, which the files or their tests name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from . import measurements

ROOT = Path(__file__).resolve().parent.parent
CLI = ("-m", "clconform.tools")
PAGES: dict[str, tuple[str, ...]] = {
    "harness/driver_worker/prototypes.c": ("-m", "clconform.harness.prototype_source"),
    "runner/session/api_functions.pyi": ("-m", "clconform.tools.dev.api_stub"),
    "docs/commands.md": (*CLI, "dev", "page", "commands"),
    "docs/findings.md": ("-m", "clconform.findings.page"),
    "docs/command-objects.md": ("-m", "clconform.suites.lifetime.command_objects_page"),
    "docs/conditions.md": (*CLI, "dev", "page", "conditions"),
    "docs/sentences.md": (*CLI, "dev", "page", "sentences"),
    "docs/usage-rules.md": ("-m", "clconform.validation.usage_topics"),
    "docs/validation-rules.md": ("-m", "clconform.validation.rules_page"),
    "docs/revision-3.1.1.md": (*CLI, "dev", "page", "revision", "--tables", "3.1.1"),
}
"""The files that a command prints, each with its command."""
WRITERS: tuple[tuple[str, ...], ...] = (
    ("-m", "tests.reports.schemas"),
    ("-m", "tests.findings.schemas"),
    ("-m", "tests.explained"),
    ("-m", "tests.measurements"),
    ("-m", "tests.exit_code_lists"),
)
"""The commands that write several files, or parts of files."""
WRITTEN = ("reports/schemas", "findings/schemas", "tests/snapshots/explain")
"""The folders of these files."""
VIOLATIONS = "selftest/outcome_mutation/shown.json"


def run(words: tuple[str, ...]) -> bytes:
    """Run a Python module in the repository, and return its output. Raises CalledProcessError if it fails."""
    done = subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return done.stdout


def contents() -> dict[Path, bytes]:
    """Return the generated files with their contents."""
    files = [ROOT / name for name in (*PAGES, *measurements.PAGES, VIOLATIONS, "README.md", "docs/gate.md")]
    files += [path for folder in WRITTEN for path in (ROOT / folder).iterdir() if path.is_file()]
    return {path: path.read_bytes() for path in files if path.exists()}


def renew(*, slow: bool) -> list[str]:
    """Renew the files, and return the names of those that were outdated."""
    before = contents()
    for name, words in PAGES.items():
        text = run(words)
        (ROOT / name).write_bytes(text)
    for words in WRITERS:
        run(words)
    if slow:
        run((*CLI, "dev", "violate", "--renew"))
    after = contents()
    return sorted(str(path.relative_to(ROOT)) for path in {*before, *after} if before.get(path) != after.get(path))


if __name__ == "__main__":
    outdated = renew(slow="--slow" in sys.argv[1:])
    for each in outdated:
        sys.stdout.write(f"renewed: {each}\n")
    sys.exit(1 if outdated else 0)
