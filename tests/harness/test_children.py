"""Only processes of the harness are ended, wherever the interpreter and the files of others lie."""

from __future__ import annotations

import json
import subprocess
import sys

SLEEP = "import time; time.sleep(60)"
OTHERS = [
    ["/home/a/clconform/.venv/bin/python", "-c", SLEEP],
    ["python", "-c", SLEEP, "clconform", "--starts", "3"],
    ["python", "-c", SLEEP, "/home/a/clconform.py", "-m"],
]
OURS = [["python", "-c", SLEEP, "-m", "clconform.harness.worker", "--driver", "x"]]
PARENT = """
import json, signal, subprocess, sys, time
from clconform.harness.children import kill_children
children = [subprocess.Popen(words, executable=sys.executable) for words in json.loads(sys.argv[1])]
kill_children()
time.sleep(0.5)
print(json.dumps([child.poll() == -signal.SIGTERM for child in children]))
for child in children:
    child.kill()
"""
"""It ends the children of its own process: the tests' process has others, which later tests need."""


def test_ours_are_ended_and_others_left_alone() -> None:
    words = [sys.executable, "-P", "-c", PARENT, json.dumps([*OTHERS, *OURS])]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, False, False, True]
