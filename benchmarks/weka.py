"""WEKA in a warm JVM that serves one request at a time, so that it can alternate with other contenders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.data import Table

SOURCE = Path(__file__).with_name("weka_harness") / "Stopwatch.java"

_NET = "weka.classifiers.bayes.BayesNet -D -Q weka.classifiers.bayes.net.search.local."
_CPT = " -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5"

#: WEKA's classifiers and options. `-D` disables BayesNet's ADTree, which is slower on these tables.
CLASSIFIERS = {
    "NaiveBayes": "weka.classifiers.bayes.NaiveBayes",
    "AODE": "weka.classifiers.bayes.AODE -M",
    "WAODE": "weka.classifiers.bayes.WAODE",
    "AODEsr": "weka.classifiers.bayes.AODEsr",
    "HNB": "weka.classifiers.bayes.HNB",
    "TAN": f"{_NET}TAN -- -S BAYES{_CPT}",
    "K2": f"{_NET}K2 -- -P 2 -S BAYES{_CPT}",
}

#: WEKA's default, Laplace smoothing, which it computes faster than the m-estimate that we use.
AODE_DEFAULT = "weka.classifiers.bayes.AODE"

#: The predict time of A2DE, which is in a separate package, as a multiple of that of the jar's AODE.
A2DE_OVER_AODE = {"letters": 12.7, "synthetic": 68.0}


class WekaError(RuntimeError):
    """WEKA or the JVM failed."""


class Weka:
    """A running JVM, to be used as a context manager."""

    def __init__(self, jar: str | os.PathLike):
        jar = Path(jar).resolve()
        if not jar.is_file():
            raise WekaError(f"no such file: {jar}")
        for tool in ("java", "javac"):
            if shutil.which(tool) is None:
                raise WekaError(f"{tool} is not installed")
        self._folder = tempfile.TemporaryDirectory(prefix="unnaive-weka-")
        self.folder = Path(self._folder.name)
        compiled = subprocess.run(
            ["javac", "-nowarn", "-cp", str(jar), "-d", str(self.folder), str(SOURCE)],
            capture_output=True,
            text=True,
        )
        if compiled.returncode:
            raise WekaError(f"the harness does not compile: {compiled.stderr.strip()}")
        self._log = (self.folder / "log").open("w")
        self._process = subprocess.Popen(
            [
                "java",
                "-Djava.awt.headless=true",
                "-Xmx3g",
                "-cp",
                f"{jar}{os.pathsep}{self.folder}",
                "Stopwatch",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def __enter__(self) -> Weka:
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._log.close()
        self._folder.cleanup()

    def ask(self, *fields: str) -> dict:
        """Send one request and wait for its response."""
        self._process.stdin.write("\t".join(fields) + "\n")
        self._process.stdin.flush()
        # Some WEKA classes print to standard output; only lines that start with { are responses.
        for line in self._process.stdout:
            if line.startswith("{"):
                response = json.loads(line)
                if "error" in response:
                    raise WekaError(response["error"])
                return response
        raise WekaError(f"the JVM ended: {(self.folder / 'log').read_text()[-500:]}")

    def load(self, table: Table) -> None:
        """Load a table of codes as nominal attributes with all their values declared."""
        values = [",".join(map(str, range(n))) for n in table.n_values]
        self._write(table.name, [f"{{{v}}}" for v in values], table.X, "%d", table.y, table.n_classes)

    def load_numbers(self, name: str, X: np.ndarray, y: np.ndarray) -> None:
        """Load a table of numbers."""
        self._write(name, ["numeric"] * X.shape[1], X, "%.17g", y, int(y.max()) + 1)

    def _write(self, name: str, kinds: list[str], X: np.ndarray, form: str, y: np.ndarray, n_classes: int) -> None:
        file = self.folder / f"{name.replace(' ', '_')}.arff"
        with file.open("w") as out:
            out.write("@relation t\n")
            out.writelines(f"@attribute x{j} {kind}\n" for j, kind in enumerate(kinds))
            out.write(f"@attribute y {{{','.join(map(str, range(n_classes)))}}}\n@data\n")
            np.savetxt(out, np.column_stack([X, y]), fmt=[form] * X.shape[1] + ["%d"], delimiter=",")
        self.ask("load", name, str(file))
        file.unlink()

    def classify(self, table: str, specification: str) -> dict:
        """CPU seconds of one fit, and of scoring all rows once."""
        return self.ask("classify", table, specification)

    def predictions(self, table: str, specification: str) -> np.ndarray:
        """WEKA's predictions for its training rows."""
        file = self.folder / "predictions"
        self.ask("classify", table, specification, str(file))
        return np.loadtxt(file, dtype=np.int64)

    def discretize(self, table: str) -> float:
        """CPU seconds to learn MDL cut points and apply them."""
        return self.ask("discretize", table)["fit"]
