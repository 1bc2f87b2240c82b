"""What recording and judging cost: ``python -m tests.validation.cost [PAIRS]``, on PoCL of Debian.

A program makes a mix of calls (``cost.c``), with the layer switched off, which passes every call on, and with a
recording, one after the other in pairs. The recording of the last pair is judged.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.recording.building import layer_of
from clconform.recording.file_format import Recording
from clconform.recording.launching import LAYERS, environment
from clconform.spec_tables import load
from clconform.tools.saying import say
from clconform.validation.judging import validated

HERE = Path(__file__).parent
DRIVER = "/usr/lib/x86_64-linux-gnu/libpocl.so.2"
ROUNDS = "10000"


def main(words: list[str]) -> int:
    """Measure, and print the medians."""
    pairs = int(words[0]) if words else 11
    tables = load()
    layer = layer_of(tables)
    with tempfile.TemporaryDirectory() as work:
        program, recording = Path(work) / "cost", Path(work) / "calls.clrec"
        build = [shutil.which("cc") or "cc", "-O2", "-w", str(HERE / "cost.c"), "-o", str(program), "-lOpenCL"]
        subprocess.run(build, check=True)
        plain = {**os.environ, "OCL_ICD_VENDORS": DRIVER}
        off: list[float] = []
        more: list[float] = []
        for _ in range(pairs):
            recording.unlink(missing_ok=True)
            without = _nanoseconds(program, {**plain, LAYERS: str(layer)})
            off.append(without)
            more.append(_nanoseconds(program, {**plain, **environment(layer, recording, 0)}) - without)
        say(f"a call takes {statistics.median(off):.0f} ns with the layer switched off (median of {pairs})")
        say(f"recording adds {statistics.median(more):.0f} ns to a call (median of {pairs} pairs)")
        size = recording.stat().st_size
        rulebook_of(tables)
        start = time.perf_counter()
        found = validated(Recording(recording, tables), tables, "")
        seconds = time.perf_counter() - start
    say(f"{found.calls} calls in {size} bytes; judged in {seconds:.1f} s: {found.calls / seconds:.0f} calls a second")
    return 0


def _nanoseconds(program: Path, variables: dict[str, str]) -> float:
    ended = subprocess.run([str(program), ROUNDS], env=variables, capture_output=True, text=True, check=True)
    return float(ended.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
