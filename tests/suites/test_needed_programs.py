"""Programs for devices without a compiler: the list of them, and kits that load them from binaries."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.values import BinaryOrigin, Data, ElementList
from clconform.harness import HarnessError, Target
from clconform.harness.libraries import embedded_pocl
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.image_kernels import IMAGE_KERNELS
from clconform.oracles.model.programs import BinaryProgram
from clconform.runner.program_binaries import (
    ProgramBinaries,
    ProgramText,
    describe_device,
    read_binaries,
    write_binaries,
)
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.chapters.execution.kernels import set_arguments
from clconform.suites.chapters.images.kernel_kit import ImageKit
from clconform.suites.kit.kit import Kit
from clconform.suites.needed_programs import ProgramBuildError, build_binary, list_programs

from ..sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Step
    from clconform.oracles.engine.judgements import Expectation, Judgement

WITHOUT_COMPILER, WITH_COMPILER = "without-compiler", "few-handles"
TEXTS = (ProgramText(KERNELS["add_index"].source), ProgramText(KERNELS["chase"].source, "-w"))
SIZE = 64


class DeviationCollector(SessionObserver):
    """Collects the functions that are called, and the deviations."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.deviations: list[object] = []

    def on_judged_call(
        self, expectation: Expectation, outcome: object, judgement: Judgement, steps: Sequence[Step], test_value: str
    ) -> None:
        """Record a call."""
        del outcome, steps, test_value
        self.functions.append(expectation.call.function)
        self.deviations += judgement.deviations


def build(session: Session, folder: Path, *texts: ProgramText) -> ProgramBinaries:
    """Build programs with the driver of a session, and return the folder with the binaries."""
    device = describe_device(session.reached, session.device.name, session.fact("CL_DEVICE_ADDRESS_BITS"))
    write_binaries(folder, device, [(text, build_binary(session, text)) for text in texts])
    return read_binaries(folder)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    """Yield a kit on a simulated device without a compiler, which has the binaries of two programs."""
    observer = DeviationCollector()
    builder = InProcessSession(Target.simulated(WITH_COMPILER), load(), SessionObserver())
    binaries = build(builder, tmp_path, *TEXTS)
    builder.close()
    session = InProcessSession(Target.simulated(WITHOUT_COMPILER), load(), observer)
    session.program_binaries = binaries
    yield Kit(session)
    session.close()
    assert not observer.deviations


def run_add_index(kit: Kit) -> None:
    """Run a kernel on a buffer, and read the buffer for the judge."""
    buffer = kit.create_filled_buffer(SIZE)
    kernel = set_arguments(kit, kit.kernel("add_index"), buffer)
    sizes = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, global_work_size=ElementList((SIZE // 4,)), **sizes)
    kit.read(buffer, 0, SIZE)


def test_digests_of_listed_programs_are_distinct() -> None:
    for version in ((1, 0), (1, 2), (2, 0), (3, 0), (3, 1)):
        programs = list_programs(version)
        assert len({text.digest for text in programs}) == len(programs) > len(KERNELS)


def test_list_has_a_program_for_each_kernel() -> None:
    sources = {text.source for text in list_programs((3, 0))}
    assert {kernel.source for family in (KERNELS, IMAGE_KERNELS) for kernel in family.values()} <= sources


def test_limits_of_device_add_kernels_to_the_list() -> None:
    limits = {"CL_DEVICE_MAX_PARAMETER_SIZE": 1024, "CL_DEVICE_MAX_CONSTANT_ARGS": 8, "CL_DEVICE_MAX_SAMPLERS": 0}
    added = [text.kernel_list for text in list_programs((1, 2), limits) if text not in list_programs((1, 2))]
    assert added == ["use_8_constants", "use_127_vectors_of_1"]


def test_failed_build_has_the_driver_s_reason() -> None:
    session = InProcessSession(Target.simulated(WITHOUT_COMPILER), load(), SessionObserver())
    with pytest.raises(ProgramBuildError, match="the driver does not build the kernels"):
        build_binary(session, TEXTS[0])
    session.close()


def test_kernel_of_supplied_binary_is_run(kit: Kit) -> None:
    run_add_index(kit)
    program = next(iter(kit.cl.model.objects_of_class(BinaryProgram)))
    assert program.is_supplied
    assert program.available_kernels == ("add_index",)


def test_missing_binary_skips_with_program_and_option(kit: Kit) -> None:
    with pytest.raises(pytest.skip.Exception) as skipped:
        kit.built_program("chase")  # the folder has it with other options
    text = ProgramText(KERNELS["chase"].source)
    assert str(skipped.value) == f"the device has no compiler, and --program-binaries has no {text.title}"


def test_rejected_binary_skips_with_its_program(kit: Kit) -> None:
    source = KERNELS["add_index"].source
    foreign = Data(b"", origin=BinaryOrigin(source, "", ""))
    binaries = kit.cl.program_binaries
    assert binaries is not None
    contents = {TEXTS[0].digest: foreign}
    kit.cl.program_binaries = ProgramBinaries(binaries.folder, binaries.device, contents)
    with pytest.raises(pytest.skip.Exception, match=f"rejects the binary of program {TEXTS[0].digest} .add_index"):
        kit.kernel("add_index")


def test_image_kernels_are_loaded_from_one_program_each(tmp_path: Path) -> None:
    names = ("read_image2d_ui", "write_image2d_ui")
    texts = [ProgramText(IMAGE_KERNELS[name].source) for name in names]
    session = InProcessSession(Target.simulated("everything"), load(), SessionObserver())
    session.program_binaries = build(session, tmp_path, *texts)
    assert len(set(ImageKit(session).create_image_kernels(names).values())) == len(names)
    assert len(list(session.model.objects_of_class(BinaryProgram))) == len(names)
    session.close()


def test_device_with_compiler_makes_no_other_calls() -> None:
    observer = DeviationCollector()
    session = InProcessSession(Target.simulated(WITH_COMPILER), load(), observer)
    observer.functions.clear()
    Kit(session).built_program("add_index")
    assert observer.functions == ["clCreateContext", "clCreateProgramWithSource", "clBuildProgram"]
    session.close()


@pytest.fixture(scope="module")
def driver_without_compiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the library of a driver that is the embedded one without its compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) here: the driver cannot be built")
    try:
        driver = embedded_pocl()
    except HarnessError as error:
        pytest.skip(str(error))
    functions = {
        "INFO": "clGetDeviceInfo",
        "BUILD": "clBuildProgram",
        "COMPILE": "clCompileProgram",
        "PROGRAM_INFO": "clGetProgramInfo",
    }
    places = [f"-D{name}={load().dispatch.index(function)}" for name, function in functions.items()]
    library = tmp_path_factory.mktemp("driver") / "libwithout.so"
    source = Path(__file__).parent.parent / "harness" / "driver_without_compiler.c"
    command = [compiler, "-shared", "-fPIC", *places, f'-DDRIVER="{driver}"', "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return str(library)


def test_real_driver_without_compiler_runs_supplied_kernel(driver_without_compiler: str, tmp_path: Path) -> None:
    builder = Session(Target.embedded(), load(), SessionObserver())
    binaries = build(builder, tmp_path, TEXTS[0])
    builder.close()
    observer = DeviationCollector()
    session = Session(Target.driver(driver_without_compiler), load(), observer)
    try:
        assert session.fact("CL_DEVICE_COMPILER_AVAILABLE") == 0
        observer.deviations.clear()  # of the queries at the start
        device = describe_device(session.reached, session.device.name, session.fact("CL_DEVICE_ADDRESS_BITS"))
        binaries.require_device(device)
        kit = Kit(session)
        program = kit.program("add_index")
        assert not kit.try_build(program)
        session.program_binaries = binaries
        run_add_index(kit)
        assert observer.functions[-1] == "clEnqueueReadBuffer"
        assert not observer.deviations
        changed = msgspec.structs.replace(binaries.contents[TEXTS[0].digest], content=b"no binary")
        session.program_binaries = ProgramBinaries(tmp_path, device, {TEXTS[0].digest: changed})
        with pytest.raises(pytest.skip.Exception, match="rejects the binary"):
            kit.built_program("add_index")
        assert not observer.deviations
    finally:
        session.close()
