"""The suite in docs/own-suite.md runs as the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "own-suite.md"


def test_example_of_the_page_conforms_on_a_simulated_platform(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    (tmp_path / "test_user_events.py").write_text(example, encoding="utf-8")
    command = [sys.executable, "-P", "-m", "clconform.tools", "run", "--simulated", "flat-4", "test_user_events.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    table = (tmp_path / "clconform-out" / "requirements.csv").read_text(encoding="ascii")
    (row,) = (row for row in table.splitlines() if row.startswith('"clCreateUserEvent/success"'))
    assert '"conforms"' in row
