"""The worker's executable: built once for each version of its sources, and never used after they have changed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.harness import HarnessError, c_compiler, worker_build, worker_executable
from clconform.harness.worker_build import find_worker
from clconform.harness.worker_executable import executable_path, glibc_version, platform_name, source_digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROCESSES = 8
FIND = "from clconform.harness.worker_build import find_worker; print(find_worker())"
LOG = "compilations"
COMPILER = """#!/bin/sh
echo compiled >>{log}
sleep {seconds}
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\nexit {code}\\n' >"$2"
chmod +x "$2"
"""
"""A program that writes an executable like a compiler, and counts its runs."""


def write_script(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(stat.S_IRWXU)
    return path


def write_compiler(folder: Path, seconds: float = 0, code: int = 2) -> Path:
    return write_script(folder / "compiler", COMPILER.format(log=folder / LOG, seconds=seconds, code=code))


def count_compilations(folder: Path) -> int:
    log = folder / LOG
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Use an empty cache, a copy of the sources without a packaged executable, and no variable of the environment."""
    sources = tmp_path / "driver_worker"
    sources.mkdir()
    (sources / "main.c").write_text("int main(void) { return 2; }\n", encoding="utf-8")
    monkeypatch.setattr(worker_executable, "SOURCES", sources)
    monkeypatch.setattr(worker_build, "PACKAGED", sources / "bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(worker_build.VARIABLE, raising=False)
    monkeypatch.delenv("CC", raising=False)
    clear_caches()
    yield
    clear_caches()


def clear_caches() -> None:
    find_worker.cache_clear()
    source_digest.cache_clear()


def test_worker_is_built_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", str(write_compiler(tmp_path)))
    first = find_worker()
    clear_caches()
    assert find_worker() == first
    assert first.is_relative_to(tmp_path / "cache")
    assert count_compilations(tmp_path) == 1


def test_changed_sources_are_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", str(write_compiler(tmp_path)))
    first = find_worker()
    clear_caches()
    (tmp_path / "driver_worker" / "new.h").write_text("\n", encoding="utf-8")
    assert find_worker() != first
    assert count_compilations(tmp_path) == 2


def test_real_compiler_builds_the_worker(tmp_path: Path) -> None:
    if not c_compiler.list_compilers():
        pytest.skip("no C compiler is here (apt-get install gcc libc6-dev)")
    assert find_worker().is_relative_to(tmp_path / "cache")
    assert worker_executable.start_error(find_worker()) == ""


def write_packaged(tmp_path: Path, glibc: tuple[int, int] | None) -> Path:
    path = executable_path(tmp_path / "driver_worker" / "bin", platform_name(), glibc)
    path.parent.mkdir(parents=True)
    return write_script(path, "#!/bin/sh\nexit 2\n")


def test_packaged_worker_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    packaged = write_packaged(tmp_path, glibc_version())
    assert find_worker() == packaged


def test_packaged_worker_for_older_glibc_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_executable, "glibc_version", lambda: (2, 36))
    packaged = write_packaged(tmp_path, (2, 28))
    assert find_worker() == packaged


@pytest.mark.parametrize("change", ["sources", "glibc", "mode"])
def test_unsuitable_packaged_worker_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str) -> None:
    monkeypatch.setenv("CC", str(write_compiler(tmp_path)))
    monkeypatch.setattr(worker_executable, "glibc_version", lambda: (2, 36))
    packaged = write_packaged(tmp_path, (2, 37) if change == "glibc" else (2, 36))
    if change == "sources":
        (tmp_path / "driver_worker" / "main.c").write_text("int main(void) { return 3; }\n", encoding="utf-8")
        clear_caches()
    elif change == "mode":
        packaged.chmod(stat.S_IRUSR)
    assert find_worker().is_relative_to(tmp_path / "cache")


def test_missing_compiler_is_reported_with_remedies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HarnessError) as raised:
        find_worker()
    assert str(raised.value) == (
        "the worker that loads drivers must be built by a C compiler, but none of cc, gcc, clang is installed; "
        "install a C compiler (Debian: apt-get install gcc libc6-dev), or set CC to one, "
        "or install a release wheel of clconform"
    )


def test_failing_compiler_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = "#!/bin/sh\nprintf 'stdio.h: no such file\\nstop\\n' >&2\nexit 1\n"
    monkeypatch.setenv("CC", str(write_script(tmp_path / "failing", script)))
    with pytest.raises(
        HarnessError, match=r"cannot build the worker .*: stdio.h: no such file stop; install"
    ) as raised:
        find_worker()
    assert "\n" not in str(raised.value)
    assert "libc6-dev" in str(raised.value)


def test_options_in_compiler_variable_are_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", f"env LANGUAGE=en {write_compiler(tmp_path)}")
    find_worker()
    assert count_compilations(tmp_path) == 1


def test_built_worker_that_does_not_start_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", str(write_compiler(tmp_path, code=127)))
    with pytest.raises(HarnessError, match="does not start: exit code 127; set XDG_CACHE_HOME"):
        find_worker()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_cache_that_cannot_be_written_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HarnessError, match=r"cannot write the worker .*Not a directory; set XDG_CACHE_HOME"):
        find_worker()


def test_missing_home_folder_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("clconform.harness.build_cache.Path.home", fail)
    with pytest.raises(HarnessError, match="the user has no home folder; set XDG_CACHE_HOME"):
        find_worker()


def test_named_worker_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = write_script(tmp_path / "named", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(worker_build.VARIABLE, "named")
    assert find_worker() == named


def test_missing_named_worker_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(worker_build.VARIABLE, str(tmp_path / "missing"))
    with pytest.raises(HarnessError, match=r"no such file: .*missing; set CLCONFORM_WORKER"):
        find_worker()


def test_named_worker_that_is_not_executable_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = write_script(tmp_path / "named", "")
    named.chmod(stat.S_IRUSR)
    monkeypatch.setenv(worker_build.VARIABLE, str(named))
    with pytest.raises(HarnessError, match="named cannot be executed; set CLCONFORM_WORKER"):
        find_worker()


def test_concurrent_processes_build_the_worker_once(tmp_path: Path) -> None:
    environment = {**os.environ, "CC": str(write_compiler(tmp_path, seconds=1))}
    code = f"from clconform.harness import worker_build as build; build.PACKAGED = build.PACKAGED / 'none'; {FIND}"
    command = [sys.executable, "-c", code]
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
    found = {process.communicate(timeout=60)[0] for process in started}
    assert [process.returncode for process in started] == [0] * PROCESSES
    assert len(found) == 1
    assert count_compilations(tmp_path) == 1
