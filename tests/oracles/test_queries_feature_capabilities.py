"""CL_DEVICE_OPENCL_C_FEATURES agrees with the queries that report the same features, in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.queries.feature_capabilities import FEATURE_CAPABILITIES
from clconform.spec_tables import load

from .query_evaluation import QueryEnvironment, build_name_versions, evaluate_answer, pack_version

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"
CUSTOM = "CL_DEVICE_TYPE_CUSTOM"
TABLES = load()
EMBEDDED: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE"}
FULL: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "FULL_PROFILE"}


def list_features(*names: str) -> tuple[Element, ...]:
    return build_name_versions(*((f"__opencl_c_{name}", pack_version(3, 0)) for name in names))


def get_verdict(listed: tuple[str, ...], asked: QueryEnvironment) -> str | None:
    """Return the verdict on a list of features, without the prefix of the macros' names."""
    return evaluate_answer(FEATURES, list_features(*listed), asked).get(FEATURES)


def with_capability(
    feature: str, *, reported: bool, compiler: int = 1, device: str = "CL_DEVICE_TYPE_CPU"
) -> QueryEnvironment:
    capability = FEATURE_CAPABILITIES[feature]
    value = TABLES.enumerants[capability.bit].value if capability.bit else 1
    facts: dict[str, Fact | str] = {
        capability.query: value if reported else 0,
        "CL_DEVICE_COMPILER_AVAILABLE": compiler,
    }
    return QueryEnvironment(facts=facts, type=device)


@pytest.mark.parametrize("feature", FEATURE_CAPABILITIES)
def test_reported_feature_must_be_listed(feature: str) -> None:
    implied = {
        "device_enqueue": ("generic_address_space", "program_scope_global_variables"),
        "pipes": ("generic_address_space",),
    }
    asked = with_capability(feature, reported=True)
    assert get_verdict((), asked) == "wrong"
    assert get_verdict((feature, *implied.get(feature, ())), asked) == "fine"


@pytest.mark.parametrize("feature", FEATURE_CAPABILITIES)
def test_unreported_feature_must_not_be_listed(feature: str) -> None:
    asked = with_capability(feature, reported=False)
    assert get_verdict((feature,), asked) == "wrong"
    assert get_verdict((), asked) == "fine"


@pytest.mark.parametrize("feature", FEATURE_CAPABILITIES)
def test_device_without_compiler_and_custom_device_need_not_list_features(feature: str) -> None:
    assert get_verdict((), with_capability(feature, reported=True, compiler=0)) == "fine"
    assert get_verdict((), with_capability(feature, reported=True, device=CUSTOM)) == "fine"


@pytest.mark.parametrize(
    ("listed", "facts", "extensions", "verdict"),
    [
        ((), FULL, "", "wrong"),
        (("int64",), FULL, "", "fine"),
        ((), EMBEDDED, "", "fine"),
        ((), EMBEDDED, "cles_khr_int64", "wrong"),
        (("int64",), EMBEDDED, "cles_khr_int64", "fine"),
    ],
)
def test_profile_decides_whether_64_bit_integers_are_listed(
    listed: tuple[str, ...], facts: dict[str, Fact | str], extensions: str, verdict: str
) -> None:
    asked = QueryEnvironment("3.0", extensions, {**facts, "CL_DEVICE_COMPILER_AVAILABLE": 1})
    assert get_verdict(listed, asked) == verdict


def test_fence_capabilities_do_not_decide_whether_a_feature_is_listed() -> None:
    scope = TABLES.enumerants["CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"].value
    asked = QueryEnvironment(facts={"CL_DEVICE_ATOMIC_FENCE_CAPABILITIES": scope, "CL_DEVICE_COMPILER_AVAILABLE": 1})
    assert get_verdict((), asked) == get_verdict(("atomic_scope_all_devices",), asked) == "fine"
