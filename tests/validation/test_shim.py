"""The shim records the same calls as the layer; a vendor's library that calls its own functions is a small C file."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.recording.conversion import Conversion
from clconform.recording.file_format import CallbackBegin, CallEntry, CallReturn, RecordingFile
from clconform.recording.layer_build import FLAGS, LayerError, build_shim, build_shim_for
from clconform.recording.program_launch import (
    RECORDING,
    SHIM_NAMES,
    VENDOR_LIBRARY,
    LaunchError,
    RecordingOptions,
    ShimUse,
    run_program,
)
from clconform.recording.shim_source import generate_shim, generate_symbol_versions
from clconform.spec_tables import load
from tests import in_process

from .conftest import HERE
from .test_loaders import DEBIAN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.recording.program_launch import ProgramEnd

ARM, AARCH64, EMULATOR = "arm-linux-gnueabihf-gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
EXPECTED_OUTPUT = "1 2 1 2 -30\n"
"""A missing function is not found, two callbacks, memory, the result of an unknown function, and of a query."""
EXPECTED_CALLS = [
    "clGetPlatformIDs",
    "clGetPlatformIDs",
    "clSetEventCallback",
    "clGetPlatformInfo",
    "clFlush",
    "clGetPlatformInfo",
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddress",
    "clHostMemAllocINTEL",
    "clGetPlatformInfo",
]
"""The calls of the program: two of its threads, its callback in two threads, and functions that it has looked up."""


@pytest.fixture(scope="session")
def shim() -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is here (apt-get install gcc)")
    return build_shim(load())


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory, shim: Path) -> Path:
    """Return a folder with two vendor's libraries of different names, and with programs that use them."""
    del shim
    folder = tmp_path_factory.mktemp("fakes")

    def compile_c(source: str, target: str, *words: str) -> None:
        flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
        command = [shutil.which("cc") or "cc", *flags, str(HERE / source), "-o", target, *words, "-lpthread", "-ldl"]
        subprocess.run(command, check=True, cwd=folder)

    for name in ("libOpenCL.so.1", "libfake.so"):
        compile_c("vendor.c", name, "-fPIC", "-shared", f"-Wl,-soname,{name}")
    compile_c("vendor.c", "liblacking.so", "-fPIC", "-shared", "-DLACKS_KERNEL_INFO")
    compile_c("vendor_program.c", "linked", "./libOpenCL.so.1")
    compile_c("vendor_program.c", "linked_by_other_name", "./libfake.so", "-Wl,-rpath,$ORIGIN")
    compile_c("vendor_program.c", "opening", '-DOPENS="libOpenCL.so"')
    (folder / "liberror.so").write_bytes((folder / "libfake.so").read_bytes()[:5] + b"\x09" + bytes(4000))
    return folder


def list_calls(path: Path) -> list[str]:
    """Return the names of the functions that the program has called, in their order."""
    events = RecordingFile(path, load()).events()
    return [each.function for each in events if isinstance(each, CallEntry) and not each.opening]


@pytest.mark.parametrize("repetition", range(3))
@pytest.mark.parametrize(
    ("program", "is_preloaded", "vendor"),
    [
        ("linked", False, "libOpenCL.so.1"),
        ("linked", False, ""),
        ("linked", True, ""),
        ("linked_by_other_name", True, ""),
        ("linked_by_other_name", True, "libfake.so"),
        ("opening", False, "libfake.so"),
        ("opening", False, ""),
    ],
)
def test_calls_of_the_vendor_are_not_recorded(
    fakes: Path,
    shim: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    program: str,
    vendor: str,
    repetition: int,
    *,
    is_preloaded: bool,
) -> None:
    del repetition  # the threads start in another order
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fakes))
    use = ShimUse(is_preloaded, str(fakes / vendor) if vendor else "")
    path = tmp_path / "calls.clrec"
    assert not run_program([str(fakes / program)], shim, path, RecordingOptions(shim=use)).code
    assert capfd.readouterr() == (EXPECTED_OUTPUT, "")
    assert list_calls(path) == EXPECTED_CALLS
    assert not RecordingFile(path, load()).through_loader


def test_deviation_without_loader_is_attributed_to_the_driver(
    fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fakes))
    ended = in_process.run_command(tmp_path, "validate", "--shim", "--", str(fakes / "linked"))
    assert ended.returncode == exit_codes.DEVIATIONS
    assert "driver: deviation  clFlush/CL_INVALID_COMMAND_QUEUE/1" in ended.stdout  # of NULL, which loaders reject
    assert "of the loader" not in ended.stdout


@pytest.mark.parametrize(
    ("program", "vendor", "said"),
    [
        ("linked", "/no/such/library.so", "tried /no/such/library.so (No such file or directory)"),
        ("linked", "liblacking.so", "liblacking.so (it lacks clGetKernelInfo)"),
        ("linked", "liberror.so", "liberror.so: "),
        ("linked", "copy.so", "copy.so (another shim of clconform)"),
        ("linked", "shim.so", "shim.so (this is the shim itself)"),
        ("linked", "libOpenCL.so.99", "tried libOpenCL.so.99; set CLCONFORM_VENDOR_LIBRARY to its path"),
        ("opening", "/no/such/library.so", "tried /no/such/library.so"),
        ("linked_by_other_name", "/no/such/library.so", "tried /no/such/library.so"),
    ],
)
def test_missing_vendor_is_reported_in_one_line(
    fakes: Path,
    shim: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    program: str,
    vendor: str,
    said: str,
) -> None:
    shutil.copy(shim, fakes / "copy.so")
    (fakes / "shim.so").unlink(missing_ok=True)
    (fakes / "shim.so").symlink_to(shim)
    named = str(fakes / vendor) if (fakes / vendor).exists() else vendor
    path = tmp_path / "calls.clrec"
    options = RecordingOptions(shim=ShimUse(program == "linked_by_other_name", named))
    ended = run_program([str(fakes / program)], shim, path, options)
    assert ended.code == (3 if program == "opening" else 127)  # as with an unresolved symbol, or with no function found
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("clconform: ")]
    assert len(lines) == (2 if vendor == "copy.so" else 1)  # the other shim reports that it cannot open itself
    assert said in lines[-1]
    assert VENDOR_LIBRARY in lines[-1]
    assert not path.exists()


def test_call_of_a_missing_function_ends_the_program(fakes: Path, shim: Path, tmp_path: Path) -> None:
    program = str(tmp_path / "program")
    for source, *words in (
        ("int clRetainDevice(void *device) { return !device; }", "-shared", "-fPIC", "-o", "libother.so"),
        ("int clRetainDevice(void *); int main(void) { return clRetainDevice(0); }", "./libother.so", "-o", program),
    ):
        command = [shutil.which("cc") or "cc", "-x", "c", "-", "-x", "none", *words]
        subprocess.run(command, check=True, cwd=tmp_path, input=source, text=True)
    use = ShimUse(is_preloaded=True, vendor=str(fakes / "libfake.so"))
    path = tmp_path / "calls.clrec"
    ended = run_program(["sh", "-c", f"cd {tmp_path}; {program} 2> said"], shim, path, RecordingOptions(shim=use))
    assert ended.code == 127
    said = "clconform: the vendor's OpenCL library lacks clRetainDevice, which the program calls\n"
    assert (tmp_path / "said").read_text() == said
    assert not path.exists()


@pytest.mark.skipif(
    not all(map(shutil.which, (AARCH64, EMULATOR))),
    reason=f"{AARCH64} or {EMULATOR} is not here (apt-get install gcc-aarch64-linux-gnu qemu-user-static)",
)
@pytest.mark.parametrize("defined", ["", '-DOPENS="libOpenCL.so"'])
def test_program_of_another_architecture_is_recorded(tmp_path: Path, defined: str) -> None:
    library, links = tmp_path / "libOpenCL.so.1", tmp_path / "links"
    flags = [AARCH64, "-std=c11", "-O2"]
    subprocess.run(
        [*flags, "-fPIC", "-shared", f"-Wl,-soname,{library.name}", HERE / "vendor.c", "-o", library], check=True
    )
    linked = [defined, "-ldl"] if defined else [library]
    words = [*flags, HERE / "vendor_program.c", "-o", tmp_path / "program", *linked, "-lpthread"]
    subprocess.run(words, check=True)
    links.mkdir()
    for name in SHIM_NAMES:
        (links / name).symlink_to(build_shim_for(load(), "linux_aarch64"))
    path = tmp_path / "calls.clrec"
    variables = {"LD_LIBRARY_PATH": links, VENDOR_LIBRARY: library, RECORDING: path}
    words = [
        EMULATOR,
        "-L",
        "/usr/aarch64-linux-gnu",
        *(word for item in variables.items() for word in ("-E", "{}={}".format(*item))),
    ]
    ended = subprocess.run([*words, tmp_path / "program"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == (EXPECTED_OUTPUT, "")
    assert list_calls(path) == EXPECTED_CALLS


def test_links_that_cannot_be_created_are_reported(tmp_path: Path) -> None:
    (tmp_path / "shim").touch()
    options = RecordingOptions(shim=ShimUse())
    with pytest.raises(LaunchError, match=r"cannot create links to the shim in .*: File exists; set XDG_CACHE_HOME"):
        run_program(["true"], tmp_path / "shim.so", tmp_path / "calls.clrec", options)


def describe_calls(path: Path) -> Iterator[str]:
    """Yield the calls of a recording with their results, and the callbacks, without addresses."""
    conversion, calls = Conversion(load()), {}
    for event in RecordingFile(path, load()).events():
        if isinstance(event, CallEntry):
            calls[event.sequence] = event, conversion.convert_call(event)
            yield f"{event.opening} {event.function}"
        elif isinstance(event, CallReturn):
            entered, converted = calls.pop(event.entered)
            outcome = conversion.convert_outcome(entered, event, converted.call, [])
            text = re.sub(r", raw=b(['\"]).*?\1, unrecorded", "", f"{converted.call} {outcome}")
            yield re.sub(r"0x[0-9a-f]{6,}|[0-9]{6,}|(callback|pointer|alignment=)[0-9]+", "N", text)
        elif isinstance(event, CallbackBegin):
            yield "callback"


@pytest.mark.skipif(not DEBIAN.exists(), reason="no loader is here (apt-get install ocl-icd-libopencl1)")
@pytest.mark.parametrize("is_preloaded", [False, True])
def test_recording_is_that_of_the_layer(
    build_program: Callable[..., Path],
    record_program: Callable[..., tuple[Path, ProgramEnd]],
    shim: Path,
    tmp_path: Path,
    *,
    is_preloaded: bool,
) -> None:
    program = build_program("mistakes", "SHORT")
    by_layer, ended = record_program(program)
    assert not ended.code
    by_shim = tmp_path / "shim.clrec"
    options = RecordingOptions(shim=ShimUse(is_preloaded, str(DEBIAN)))
    assert not run_program([str(program)], shim, by_shim, options).code
    assert RecordingFile(by_shim, load()).through_loader
    assert sorted(describe_calls(by_shim)) == sorted(describe_calls(by_layer))


@pytest.mark.skipif(not DEBIAN.exists(), reason="no loader is here (apt-get install ocl-icd-libopencl1)")
@pytest.mark.parametrize("options", [(), ("--live",)])
def test_verdict_is_that_of_the_layer(
    build_program: Callable[..., Path],
    record_program: Callable[..., tuple[Path, ProgramEnd]],
    shim: Path,
    tmp_path: Path,
    options: tuple[str, ...],
) -> None:
    del record_program, shim  # sets the driver; builds the shim
    program = str(build_program("mistakes", "MISTAKES", "SHORT"))
    outputs = []
    for used in ((), ("--shim",), ("--shim=preload",), ("--shim", "--driver", str(DEBIAN))):
        ended = in_process.run_command(tmp_path, "validate", *options, *used, "--", program)
        assert ended.returncode == exit_codes.DEVIATIONS, ended.stderr
        outputs.append(re.sub(r"0x[0-9a-f]+|callback[0-9]+", "N", ended.stdout))
    assert outputs == outputs[:1] * len(outputs)


def test_shim_exports_functions_of_loaders_with_their_versions(shim: Path) -> None:
    if not DEBIAN.exists():
        pytest.skip("no loader is here (apt-get install ocl-icd-libopencl1)")
    shims, loaders = ({line.split()[-1] for line in _list_symbols(path) if "T cl" in line} for path in (shim, DEBIAN))
    names = {each.partition("@")[0] for each in shims}
    assert {each for each in loaders if each.partition("@")[0] in load().functions} <= shims
    assert not names & {"clGetLayerInfo", "clInitLayer"}
    assert len(names) >= len(load().functions) - 4  # those with types of Windows


def _list_symbols(path: Path) -> list[str]:
    words = [shutil.which("nm") or "nm", "-D", "--defined-only", str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("compiler", ["gcc", "clang", ARM])
def test_source_compiles_without_warnings(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source, script = tmp_path / "source.c", tmp_path / "source.map"
    source.write_text(generate_shim(load(), "", 4 if compiler == ARM else 8), encoding="ascii")
    script.write_text(generate_symbol_versions(load()), encoding="ascii")
    warnings = ["-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    words = [
        compiler,
        *FLAGS,
        *warnings,
        f"-Wl,--version-script={script}",
        "-o",
        str(tmp_path / "library.so"),
        str(source),
    ]
    compiled = subprocess.run(words, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr


def test_ndk_builds_the_shim_for_android(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin"
    folder.mkdir(parents=True)
    for level in (21, 24, 30):
        program = folder / f"aarch64-linux-android{level}-clang"
        program.write_text(f'#!/bin/sh\nwhile test "$1" != -o; do shift; done; echo {level} > "$2"\n')
        program.chmod(0o755)
    monkeypatch.setenv("ANDROID_NDK_HOME", str(tmp_path))
    built = build_shim_for(load(), "android_aarch64", tmp_path)
    assert built.read_text() == "24\n"
    with pytest.raises(LayerError, match="no armv7a-linux-androideabi24-clang or newer: set ANDROID_NDK_HOME"):
        build_shim_for(load(), "android_armv7l", tmp_path)
