"""The published schemas and the types that define them; ``python -m tests.reports.schemas`` generates the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema

from clconform import reports
from clconform.reports import fault_campaign, result_comparison, result_matrix, run_result
from clconform.reports.json_documents import schema_text
from clconform.selftest.benchmarks import benchmark_part
from clconform.selftest.mutation import mutant_results
from clconform.tools import bisect
from clconform.tools.dev import benchmark
from clconform.tools.explain import explanation
from clconform.validation import findings

if TYPE_CHECKING:
    import msgspec

FOLDER = Path(reports.__file__).parent / "schemas"
TYPES: dict[str, tuple[type[msgspec.Struct], str]] = {
    "bench": (benchmark_part.MeasuredPart, benchmark.TITLE),
    "bisect": (bisect.BisectResult, bisect.TITLE),
    "comparison": (result_comparison.ResultComparison, result_comparison.TITLE),
    "explanation": (explanation.RequirementExplanation, explanation.TITLE),
    "explanation-list": (explanation.RequirementListing, explanation.TITLE_OF_A_LISTING),
    "faults": (fault_campaign.FaultCampaign, fault_campaign.TITLE),
    "matrix": (result_matrix.ResultMatrix, result_matrix.TITLE),
    "mutants": (mutant_results.MutationReport, mutant_results.TITLE),
    "result": (run_result.RunResult, run_result.TITLE),
    "validation": (findings.ValidationDocument, findings.TITLE),
}


def schema_path(name: str) -> Path:
    """Return the path of the published schema ``name``."""
    return FOLDER / f"{name}.schema.json"


def validated(text: str, name: str) -> str:
    """Return ``text`` if it matches the published schema ``name``; otherwise raise ValidationError."""
    schema = json.loads(schema_path(name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    return text


def generate_schema(name: str) -> str:
    """Return the text of a schema, generated from the type that defines it."""
    return schema_text(*TYPES[name])


if __name__ == "__main__":
    for each in TYPES:
        schema_path(each).write_text(generate_schema(each), encoding="utf-8")
