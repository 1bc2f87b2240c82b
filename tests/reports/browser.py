"""Drives Debian's Chromium through its DevTools protocol over a pipe, to open, operate and inspect pages."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (apt-get install chromium)")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)
RESPONSE_SECONDS = 60.0
"""Maximum seconds for a response of the browser, on a busy machine."""
LOADED = (
    "document.readyState === 'complete'"
    " && (!document.getElementById('data') || document.documentElement.dataset.ready === 'true')"
)
"""A JavaScript expression that is true when the page is loaded and its script has run."""
KEYS = {
    "/": 191,
    "Enter": 13,
    "Escape": 27,
    "Tab": 9,
    " ": 32,
    "ArrowDown": 40,
    "ArrowRight": 39,
    "End": 35,
    "Home": 36,
}
KEY_TEXTS = {"Enter": "\r", " ": " ", "/": "/"}


class Browser:
    """A Chromium process with one tab. ``console``: messages of the page; ``requests``: the URLs it requested."""

    def __init__(self, profile: Path) -> None:
        """Start Chromium with a fresh profile in a folder."""
        assert CHROMIUM is not None
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # Chromium reads commands from descriptor 3, responds on 4; high numbers first, so that neither is overwritten
        high = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 20) for each in (theirs_in, theirs_out)]
        log = os.open(profile.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
        actions = [(os.POSIX_SPAWN_DUP2, *each) for each in ((high[0], 3), (high[1], 4), (log, 1), (log, 2))]
        command = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        self._process = os.posix_spawn(CHROMIUM, command, os.environ, file_actions=actions, setpgroup=0)
        for each in (theirs_in, theirs_out, *high, log):
            os.close(each)
        self._in, self._out = ours_in, ours_out
        self._last, self._unread = 0, b""
        self._session = ""
        self.console: list[str] = []
        self.requests: list[str] = []
        page = next(each for each in self.send_command("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.send_command("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send_command(f"{domain}.enable")
        self.resize(1280, 900)

    def close(self) -> None:
        """End the browser and all processes that it started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._in)
        os.close(self._out)

    def send_command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result; meanwhile record events of the page."""
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        command |= {"sessionId": self._session} if self._session else {}
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            message = self._next_message()
            if message.get("id") == self._last:
                assert "error" not in message, (method, message["error"])
                result: dict[str, Any] = message["result"]
                return result

    def _next_message(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._in], [], [], RESPONSE_SECONDS)
            read = os.read(self._in, 1 << 20) if ready else b""
            assert read, f"Chromium gave no answer within {RESPONSE_SECONDS} s"
            self._unread += read
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._record_event(message.get("method", ""), message.get("params", {}))
        return message

    def _record_event(self, event: str, told: dict[str, Any]) -> None:
        if event == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(each.get("value", each)) for each in told["args"]))
        elif event == "Runtime.exceptionThrown":
            self.console.append(str(told["exceptionDetails"]))
        elif event == "Log.entryAdded":
            self.console.append(told["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif event == "Page.javascriptDialogOpening":
            self.console.append(f"a dialog: {told['message']}")

    def open(self, path: Path, fragment: str = "", *, runs_script: bool = True) -> None:
        """Load a page, and wait until its script has run, unless scripts are disabled."""
        url = path.as_uri() + (f"#{fragment}" if fragment else "")
        self.send_command("Page.navigate", url="about:blank")
        self.requests.clear()
        self.console.clear()
        self.send_command("Page.navigate", url=url)
        self.wait_until(LOADED if runs_script else "document.readyState === 'complete'")

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        done = self.send_command(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_until(self, script: str) -> None:
        """Wait until a JavaScript expression is true."""
        deadline = time.monotonic() + RESPONSE_SECONDS
        while not self.evaluate(script):
            assert time.monotonic() < deadline, script
            time.sleep(0.02)

    def press_keys(self, *keys: str, shift: bool = False) -> None:
        """Press the keys one after the other, like a user; ``shift``: with the Shift key."""
        for key in keys:
            told: dict[str, Any] = {"key": key, "modifiers": 8 if shift else 0}
            told["windowsVirtualKeyCode"] = KEYS.get(key) or ord(key.upper())
            text = KEY_TEXTS.get(key, "" if key in KEYS else key)
            self.send_command("Input.dispatchKeyEvent", type="keyDown", text=text, **told)
            self.send_command("Input.dispatchKeyEvent", type="keyUp", **told)

    def type_text(self, text: str) -> None:
        """Type a text into the focused element."""
        self.send_command("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click the centre of the element that a CSS selector matches, like a user."""
        where = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{where}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        # content that scrolls into view is laid out only then, and may move
        self.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        x, y = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({where}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.send_command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def resize(self, width: int, height: int) -> None:
        """Resize the window."""
        self.send_command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def emulate_media(self, kind: str = "", **features: str) -> None:
        """Emulate a medium (``print``) or a user preference: ``prefers_color_scheme="dark"``."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.send_command("Emulation.setEmulatedMedia", media=kind, features=wanted)

    def screenshot(self, path: Path, *, whole: bool = False) -> Path:
        """Write a screenshot of the visible part of the page, or of the ``whole`` page, and return its path."""
        shot = self.send_command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path

    def accessible_nodes(self) -> list[tuple[str, str]]:
        """Return the nodes of the accessibility tree in order, each with its role and name."""
        nodes = self.send_command("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]


@contextmanager
def start_chromium(profile: Path) -> Iterator[Browser]:
    """Start Chromium for the block, and end it afterwards."""
    browser = Browser(profile)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def check_silent_and_offline(browser: Browser, page: Path) -> Iterator[None]:
    """Check, after the block, that the page wrote no messages and requested only itself; reset the browser."""
    yield
    browser.emulate_media()
    browser.resize(1280, 900)
    assert browser.console == []
    assert [url.partition("#")[0] for url in browser.requests] == [page.as_uri()]
