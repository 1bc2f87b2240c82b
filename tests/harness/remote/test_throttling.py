"""A machine that runs slower than it can is noticed, by facts that the kernel states in files."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.harness.remote.throttling import describe_throttling
from clconform.harness.worker_executable import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = r"""
#include <stdio.h>
#include "throttling.h"
int main(int count, char **words) {
    static struct facts facts;
    add_throttling_facts(&facts, words[count - 1]);
    for (size_t i = 0; i < facts.count; i++) printf("%s=%s\n", facts.all[i].name, facts.all[i].text);
    return 0;
}
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program that prints the facts of a folder like /sys."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("reader")
    source, program = folder / "reader.c", folder / "reader"
    source.write_text(PROGRAM, encoding="ascii")
    files = [source, SOURCES / "throttling_linux.c", SOURCES / "facts.c"]
    subprocess.run([compiler, "-std=c11", "-I", SOURCES, "-o", program, *files], check=True)
    return program


def read_facts(reader: Path, root: Path) -> dict[str, str]:
    done = subprocess.run([reader, root], capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def write_files(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n", encoding="ascii")


def test_slow_machine_is_read_from_files(reader: Path, tmp_path: Path) -> None:
    cpus = "devices/system/cpu"
    thermal = "class/thermal"
    write_files(
        tmp_path,
        {
            f"{cpus}/cpu0/cpufreq/cpuinfo_max_freq": "2000000",
            f"{cpus}/cpu0/cpufreq/scaling_max_freq": "2000000",
            f"{cpus}/cpu4/cpufreq/cpuinfo_max_freq": "3000000",
            f"{cpus}/cpu4/cpufreq/scaling_max_freq": "1350000",
            f"{cpus}/cpufreq/boost": "1",
            f"{thermal}/thermal_zone0/temp": "61000",
            f"{thermal}/thermal_zone1/temp": "96500",
            f"{thermal}/thermal_zone2/temp": "-5000",
            f"{thermal}/cooling_device0/type": "cpufreq-cpu4",
            f"{thermal}/cooling_device0/cur_state": "3",
            f"{thermal}/cooling_device1/type": "pwm-fan",
            f"{thermal}/cooling_device1/cur_state": "2",
            f"{thermal}/cooling_device2/type": "devfreq-gpu",
            f"{thermal}/cooling_device2/cur_state": "0",
            f"{thermal}/cooling_device3/type": "cpufreq-cpu4",
            f"{thermal}/cooling_device3/cur_state": "1",
        },
    )
    facts = read_facts(reader, tmp_path)
    assert facts == {"frequency limit": "45", "temperature": "96500", "cooling": "cpufreq-cpu4"}
    assert describe_throttling(facts) == (
        "processors are limited to 45 % of their highest frequency; these are slowed down to cool: cpufreq-cpu4; "
        "the hottest sensor shows 96 °C"
    )


def test_machine_without_such_files_states_nothing(reader: Path, tmp_path: Path) -> None:
    assert read_facts(reader, tmp_path) == {}
    assert describe_throttling({}) == ""


@pytest.mark.parametrize(
    "facts",
    [
        {"frequency limit": "80", "temperature": "99000"},
        {"frequency limit": "100", "cooling": ""},
        {"frequency limit": "?", "temperature": "hot"},
    ],
)
def test_heat_alone_is_not_throttling(facts: dict[str, str]) -> None:
    assert describe_throttling(facts) == ""
