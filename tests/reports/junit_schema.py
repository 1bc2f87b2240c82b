"""Checks a JUnit file against the XSD that Jenkins and GitLab use; the XSD is written as a few tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

# the XSD lacks "assertions" of a suite, which junitparser always writes; readers ignore unknown attributes
COUNTS = ("tests", "errors", "failures", "skipped", "disabled")
ATTRIBUTES = {
    "testsuites": {"name", "time", *COUNTS} - {"skipped"},
    "testsuite": {"name", "time", "timestamp", "hostname", "id", "package", "assertions", *COUNTS},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "status", "assertions", "time", "file", "line"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
    "system-err": set(),
}
REQUIRED = {"testsuite": {"name", "tests"}, "testcase": {"name", "classname"}, "property": {"name", "value"}}
CHILDREN = {
    "testsuites": ("testsuite",),
    "testsuite": ("properties", "testcase", "system-out", "system-err"),
    "properties": ("property",),
    "testcase": ("skipped", "error", "failure", "system-out", "system-err"),
}
"""Child elements that an element may contain; those of a suite must have this order."""
OUTCOMES = ("skipped", "error", "failure")


def find_violations(root: ET.Element) -> list[str]:
    """Return the violations of the XSD as texts; an empty list if the file is valid."""
    found = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        found += _element_violations(element)
    for suite in root.iter("testsuite"):
        found += _count_violations(suite)
        order = [CHILDREN["testsuite"].index(child.tag) for child in suite if child.tag in CHILDREN["testsuite"]]
        found += [] if order == sorted(order) else ["the children of a suite are not in their order"]
        names = [(case.get("classname"), case.get("name")) for case in suite.iter("testcase")]
        found += [] if len(set(names)) == len(names) else ["two cases have one name"]
    return found


def _element_violations(element: ET.Element) -> list[str]:
    if element.tag not in ATTRIBUTES:
        return [f"there is no element {element.tag}"]
    found = [f"{element.tag} has no attribute {name}" for name in set(element.attrib) - ATTRIBUTES[element.tag]]
    found += [f"{element.tag} lacks {name}" for name in REQUIRED.get(element.tag, set()) - set(element.attrib)]
    found += [f"{child.tag} in {element.tag}" for child in element if child.tag not in CHILDREN.get(element.tag, ())]
    numbers = [element.get(name, "0") for name in (*COUNTS, "assertions") if element.tag != "testsuites"]
    found += [f"{number} is no number" for number in numbers if not number.isdigit()]
    if len([child for child in element if child.tag in OUTCOMES]) > 1:
        found.append("a case with two outcomes")
    return found


def _count_violations(suite: ET.Element) -> list[str]:
    cases = list(suite.iter("testcase"))
    counts = {"tests": len(cases), "errors": 0, "failures": 0, "skipped": 0}
    for case in cases:
        for name, tag in (("errors", "error"), ("failures", "failure"), ("skipped", "skipped")):
            counts[name] += case.find(tag) is not None
    return [
        f"{name} says {suite.get(name)}, there are {count}"
        for name, count in counts.items()
        if suite.get(name) != str(count)
    ]
