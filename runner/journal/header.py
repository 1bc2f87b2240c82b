"""Creates the first lines of a journal, which describe the run and its platform, and compares runs by these lines."""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.journal import CapabilityLine, PlatformLine, RunHeader
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.queries.capability_text import describe_capabilities
from clconform.runner.journal.requirement_scope import condition_texts, find_inapplicable
from clconform.runner.journal.suite_names import read_declared_name
from clconform.runner.program_binaries import compute_manifest_digest
from clconform.spec_tables.loading import compute_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from clconform.harness import Target
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
DECISIVE_PACKAGES = ("calls", "harness", "oracles", "runner", "selftest", "simulator", "spec_tables", "suites")
"""Packages with code or data that determine which calls are made or how calls are judged."""
COMPARED_FIELDS = {
    "seed": "seed",
    "tier": "tier",
    "examples": "number of examples",
    "robustness": "robustness",
    "requirements": "requirement patterns",
    "paths": "paths",
    "keyword": "keyword expression",
    "markers": "marker expression",
    "documents": "documents",
    "tables": "tables",
    "version": "version of clconform",
    "revision": "code revision",
    "device": "device number",
    "target": "driver",
    "shard": "shard",
    "deadline_scale": "scale of deadlines",
    "program_manifest": "manifest of program binaries",
}
"""Maps the header fields that must be equal in runs that belong together to their names in messages."""


def create_header(config: pytest.Config, target: Target, tables: Tables) -> RunHeader:
    """Return the first line of a run's journal, which describes the run by pytest's options."""
    options = config.option
    binaries = Path(options.cl_program_binaries) if options.cl_program_binaries else None
    return RunHeader(
        version=importlib.metadata.version("clconform"),
        seed=options.cl_seed,
        tier=options.cl_tier,
        started=utc_now(),
        target=_list_target_options(target, options.cl_device),
        documents={document.key: document.revision for document in tables.documents.values()},
        tables=compute_digest(tables.documents),
        revision=code_revision(),
        device=options.cl_device_index,
        examples=options.cl_examples,
        robustness=options.robustness,
        requirements=sorted(options.cl_requirement),
        paths=sorted(_portable_path(path) for path in config.args),
        keyword=options.keyword,
        markers=options.markexpr,
        shard=options.cl_shard,
        deadline_scale=options.cl_deadline_scale,
        program_binaries=str(binaries.absolute()) if binaries else "",
        program_manifest=compute_manifest_digest(binaries) if binaries else "",
    )


def _list_target_options(target: Target, devices: Sequence[str]) -> list[str]:
    """Return the options that select a target, with all machines of the run in the order of its options."""
    words = target.to_options()
    if devices:  # this process uses one of them
        words[words.index("--device") + 1] = devices[0]
    return [*words, *(word for other in devices[1:] for word in ("--device", other))]


@functools.cache
def code_revision() -> str:
    """Return a digest of the code and data that determine a run's calls and their judgement.

    The digest is cached, because later changes to the files do not affect a running process.
    """
    digest = hashlib.sha256()
    for package in DECISIVE_PACKAGES:
        for path in sorted((PACKAGE_FOLDER / package).rglob("*")):
            if path.suffix in (".py", ".json"):
                digest.update(f"{path.relative_to(PACKAGE_FOLDER).as_posix()}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _portable_path(path: str) -> str:
    """Return the declared name of a suite, or the path of a folder relative to the package.

    The result is the same in a checkout and in an installed wheel, and does not depend on the location of a suite.
    """
    name, separator, rest = path.partition("::")
    whole = Path(name).resolve()
    if whole.is_relative_to(PACKAGE_FOLDER):
        name = read_declared_name(whole) or whole.relative_to(PACKAGE_FOLDER).as_posix()
    return name + separator + rest


def create_platform_lines(session: Session) -> tuple[PlatformLine, CapabilityLine]:
    """Return the lines that describe the platform and the device under test."""
    reached = session.reached
    not_applicable, untestable = find_inapplicable(session)
    line = PlatformLine(
        platform=next(p for p in reached.platforms if p.handle == session.base.platform),
        device=session.base.device,
        access=reached.access,
        loader=reached.loader,
        libraries=reached.libraries,
        not_applicable=not_applicable,
        untestable=untestable,
        conditions=condition_texts(session.tables, session.rulebook),
        missing=reached.missing,
        interpretations=list(INTERPRETATIONS.values()),
        unreadable_versions=_list_unreadable_versions(session),
        pointer_bytes=reached.pointer_bytes,
    )
    return line, CapabilityLine(describe_capabilities(session.model))


def _list_unreadable_versions(session: Session) -> list[str]:
    """Return the version queries of the platform and the device under test whose values cannot be read."""
    model = session.model
    reported = {
        "CL_PLATFORM_VERSION": model.platforms[session.base.platform].reports_version,
        "CL_DEVICE_VERSION": all(
            device.reports_version for device in model.root_devices() if device.name == session.base.device
        ),
    }
    return [query for query, is_readable in reported.items() if not is_readable]


def header_differences(one: RunHeader, other: RunHeader, *leave: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield each difference between two headers as the field's name and both values; ``leave``: fields to skip."""
    for field, name in COMPARED_FIELDS.items():
        if field not in leave and getattr(one, field) != getattr(other, field):
            yield name, getattr(one, field), getattr(other, field)


def platform_differences(one: PlatformLine, other: PlatformLine) -> Iterator[tuple[str, Any, Any]]:
    """Yield each difference between the platforms of two runs, as the field's name and both values."""
    if one.access != other.access:
        yield "access to the driver", one.access, other.access
    if one.pointer_bytes != other.pointer_bytes:
        yield "size of a pointer", one.pointer_bytes, other.pointer_bytes
    for field, first in msgspec.structs.asdict(one.platform).items():
        second = getattr(other.platform, field)
        if field != "devices" and first != second:
            yield f"platform's {field}", first, second
    devices, others = one.platform.devices, other.platform.devices
    if len(devices) != len(others):
        yield "number of devices", len(devices), len(others)
    for first, second in zip(devices, others, strict=False):
        for field, value in msgspec.structs.asdict(first).items():
            if value != getattr(second, field):
                yield f"device's {field.replace('_', ' ')}", value, getattr(second, field)


def utc_now() -> str:
    """Return the current time in UTC in the format of the journal."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
