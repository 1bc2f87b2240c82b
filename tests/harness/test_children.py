"""kill_harness_children kills only harness processes, even if the command lines of other children look similar."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

SLEEP = "import time; time.sleep(60)"
OTHER_COMMANDS = [
    ["/home/a/clconform/.venv/bin/python", "-c", SLEEP],
    ["python", "-c", SLEEP, "clconform", "--starts", "3"],
    ["python", "-c", SLEEP, "/home/a/clconform.py", "-m"],
    ["mail", "-c", SLEEP, "--mailbox", "inbox"],
    ["mail", "-c", SLEEP, "--mailbox", "5", "--all"],
]
HARNESS_COMMANDS = [
    ["python", "-c", SLEEP, "-m", "clconform.simulator", "--topology", "flat-4", "--mailbox", "x"],
    ["/home/a/clconform-worker", "-c", SLEEP, "--mailbox", "5"],
    ["valgrind", "-c", SLEEP, "-q", "/home/a/worker", "--mailbox", "123456"],
]
PARENT = """
import json, pathlib, signal, subprocess, sys, time
from clconform.harness.children import kill_harness_children
commands, harness_count = json.loads(sys.argv[1])
children = [subprocess.Popen(words, executable=sys.executable) for words in commands]
for child, words in zip(children, commands):
    while not pathlib.Path(f"/proc/{child.pid}/cmdline").read_bytes().endswith(words[-1].encode() + b"\\0"):
        time.sleep(0.01)
kill_harness_children()
ended = [child.wait() for child in children[-harness_count:]]
time.sleep(0.2)  # for those that were to be left alone
print(json.dumps([child.poll() for child in children[:-harness_count]] + ended))
for child in children:
    child.kill()
"""
"""A separate parent process, because the process of the tests has other children that later tests need.

A new process has no command line for a moment; the parent waits for it before it calls ``kill_harness_children``.
"""


def test_kill_harness_children_kills_only_harness_processes() -> None:
    commands = [*OTHER_COMMANDS, *HARNESS_COMMANDS]
    words = [sys.executable, "-P", "-c", PARENT, json.dumps([commands, len(HARNESS_COMMANDS)])]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=100)
    assert json.loads(done.stdout) == [None] * len(OTHER_COMMANDS) + [-signal.SIGTERM] * len(HARNESS_COMMANDS)
