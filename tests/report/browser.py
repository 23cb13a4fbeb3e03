"""A headless Chromium for tests, spoken to over two pipes by the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from select import select
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run")  # fmt: skip

LAUNCH = """
import os, sys
read, write = map(os.dup, map(int, sys.argv[1:3]))
os.dup2(read, 3)
os.dup2(write, 4)
os.set_inheritable(3, True)
os.set_inheritable(4, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads file descriptor 3 and writes 4."""

PATIENCE_S = 60
"""A browser that is silent for so long has failed."""

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PageUp": 33,
        "PageDown": 34, "End": 35, "Home": 36, "Tab": 9, "Enter": 13, "Escape": 27}  # fmt: skip


def found_browser() -> str | None:
    """Return the path of an installed Chromium, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page in one browser; `events` are the notes it sent so far."""

    def __init__(self, path: str, folder: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        pipes = (theirs_in, theirs_out)
        launch = [sys.executable, "-I", "-c", LAUNCH, *map(str, pipes)]
        self._process = subprocess.Popen(
            [*launch, path, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=pipes,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for pipe in pipes:
            os.close(pipe)
        self._rest, self._last, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events on the way are kept."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select([self._in], [], [], PATIENCE_S)
            more = os.read(self._in, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("the browser has gone, or says nothing")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, path: Path, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a file in a window of some size, and wait until it is there."""
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read()

    def resize(self, width: int, height: int) -> None:
        """Give the window a size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def run(self, script: str) -> Any:
        """Evaluate JavaScript and return its value."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        done = self.call("Runtime.evaluate", expression=script, **options)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def settle(self) -> None:
        """Wait until what was asked for is painted."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def press(self, key: str, times: int = 1, modifiers: int = 0) -> None:
        """Press a key, by its name or as a character."""
        code = KEYS.get(key, ord(key.upper()[0]))
        what = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", **what, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **what)
        self.settle()

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)
        self.settle()

    def point(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at one place and release it at another; a click if they are one."""
        button = {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **button)
        if end != start:
            move = {"x": end[0], "y": end[1], "button": "left", "buttons": 1}
            self.call("Input.dispatchMouseEvent", type="mouseMoved", **move)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **button)
        self.settle()

    def wheel(self, x: float, y: float, by: float) -> None:
        """Turn the wheel."""
        at = {"x": x, "y": y, "deltaX": 0, "deltaY": by}
        self.call("Input.dispatchMouseEvent", type="mouseWheel", **at)
        self.settle()

    def shoot(self, path: Path, whole: bool = False) -> None:
        """Write a picture of the window, or of the whole page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def faults(self) -> list[str]:
        """Return what went wrong since the page was opened: exceptions, messages, requests."""
        wrong = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        found = [json.dumps(event["params"]) for event in self.events if event["method"] in wrong]
        asked = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return found + [event["params"]["request"]["url"] for event in asked[1:]]

    def close(self) -> None:
        """End the browser."""
        self.call("Browser.close")
        self._process.wait(timeout=20)
        os.close(self._in)
        os.close(self._out)
