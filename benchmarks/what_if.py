"""The what-if page: its size, and milliseconds from a change of a value until the browser has drawn the new answer."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.report import text_table
from unnaive.models import MODELS
from unnaive.show.what_if.page import render_what_if

# A frame is drawn before a task that is queued within its animation callback.
_CHANGES = """
const done = arguments[arguments.length - 1], times = [];
const controls = [...document.querySelectorAll("[id^='column-']")];
async function change(turn) {
  const control = controls[turn % controls.length];
  const before = performance.now();
  control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
  for (const kind of ["input", "change"]) control.dispatchEvent(new Event(kind, { bubbles: true }));
  const computed = performance.now();
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
  times.push([computed - before, performance.now() - before]);
}
(async () => { for (let turn = 0; turn < arguments[0]; turn++) await change(turn); done(times); })();
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--models", default="nb,tan,kdb,k2,hnb,aode,waode,a2de", help="short names, by commas")
    parser.add_argument("--columns", type=int, default=20, help="columns of ten values each (default: 20)")
    parser.add_argument("--changes", type=int, default=200, help="changes of a value (default: 200)")


def run(args: argparse.Namespace) -> int:
    from tests.show.browser import open_browser

    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    codes = (y[:, None] * rng.integers(1, 4, args.columns) + rng.integers(8, size=(2000, args.columns))) % 10
    X = pd.DataFrame(codes).astype(str).add_prefix("column ")
    lines = []
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        for name in args.models.split(","):
            page = Path(folder, f"{name}.html")
            page.write_text(render_what_if(MODELS[name].make().fit(X, y), X[:100])[0], encoding="utf-8")
            browser.open(page)
            lines.append([name, f"{page.stat().st_size / 1e6:.2f}", *_milliseconds(browser.chrome, args.changes)])
    header = ["model", "page MB", "computed p50 ms", "p99", "drawn p50 ms", "p99"]
    print(f"{args.columns} columns of ten values, {args.changes} changes each")
    print(text_table(header, lines))
    return 0


def _milliseconds(chrome: Any, n_changes: int) -> list[str]:
    chrome.set_script_timeout(300)
    times = np.array(chrome.execute_async_script(_CHANGES, n_changes))
    return [f"{number:.1f}" for number in np.quantile(times, [0.5, 0.99], axis=0).T.ravel()]
