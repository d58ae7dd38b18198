"""A headless Chromium to look at pages with: it reaches this machine alone and remembers nothing."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import becomes

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser for as long as the block lasts; where there is none, the test is skipped.

    With UNNAIVE_REQUIRE_BROWSER=1 in the environment the test fails instead.
    """
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    give_up = pytest.fail if os.environ.get("UNNAIVE_REQUIRE_BROWSER") == "1" else pytest.skip
    if chromium is None or driver is None:
        give_up("chromium and chromedriver are not installed")
    try:
        from selenium.webdriver import Chrome, ChromeOptions
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        give_up("selenium is not installed")
    with tempfile.TemporaryDirectory(prefix="unnaive-browser-", ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = chromium
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        chrome = Chrome(options=options, service=Service(driver))
        try:
            yield Browser(chrome)
        finally:
            chrome.quit()


class Browser:
    """What the tests ask of a browser, in their words."""

    def __init__(self, chrome: Any) -> None:
        self.chrome = chrome

    def open(
        self,
        page: Path,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        scripts: bool = True,
        before: str = "",
    ) -> Browser:
        """Open a file in a window of some size, as somebody who never saw it before.

        ``before`` is a script that runs ahead of the page's own.
        """
        self.command("Page.enable")
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.prefer(scheme)
        self.command("Storage.clearDataForOrigin", origin="file://", storageTypes="local_storage")
        ahead = self.command("Page.addScriptToEvaluateOnNewDocument", source=before)["identifier"] if before else None
        self.messages()
        self.requests()
        self.chrome.get(page.as_uri())
        if ahead is not None:
            self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=ahead)
        return self

    def prefer(self, scheme: str) -> None:
        """Make the reader somebody who likes light, or dark, pages; nobody here likes them to glide."""
        likes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in likes.items()]
        self.command("Emulation.setEmulatedMedia", features=features)

    def command(self, name: str, **parameters: Any) -> Any:
        """Send a command of the DevTools protocol."""
        return self.chrome.execute_cdp_cmd(name, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script's ``return``."""
        return self.chrome.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        """The first element that a CSS selector matches."""
        return self.chrome.find_element("css selector", selector)

    def style(self, selector: str, name: str) -> str:
        """A computed style."""
        return self.run("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name)

    def messages(self) -> list[str]:
        """What was written to the console since the last call, warnings and errors only."""
        return [entry["message"] for entry in self.chrome.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self) -> list[str]:
        """Addresses asked for since the last call."""
        events = (json.loads(entry["message"])["message"] for entry in self.chrome.get_log("performance"))
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def becomes(self, condition: Callable[[], bool], seconds: float = 5.0) -> bool:
        """Whether something is so before long: a page that is loading anew takes its time on a busy machine."""
        return becomes(condition, seconds)
