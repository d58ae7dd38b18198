"""Turn a folder of WEKA's answers as text files into the small files that are kept with the tests.

Run by hand, only when the answers change: ``python -m tests.conformance.pack FOLDER``.

The folder holds one folder a data set: train.csv and test.csv (codes, the class last, weights in a column
called __weight__), schema.json (declared values), <classifier>.csv (probabilities), <classifier>.parents.txt,
and for numeric sets train_numeric.csv, test_numeric.csv, cuts_train.csv and cuts_full.csv. Everything is kept
to the last bit, except decision trees and the names of the values, which no test needs.
"""

import csv
import io
import json
import lzma
import sys
from pathlib import Path

import numpy as np

from tests.conformance.golden import FOLDER, SUFFIX

NOT_CLASSIFIERS = {"train", "test", "train_numeric", "test_numeric", "cuts_train", "cuts_full"}


def _table(path: Path) -> tuple[list[str], np.ndarray]:
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])


def _codes(values: np.ndarray) -> np.ndarray:
    codes = values.astype(np.int8)
    if not np.array_equal(codes, values):
        raise ValueError("A code is not a small integer.")
    return codes


def _cuts(path: Path) -> dict[str, list[list[float]]]:
    variants: dict[str, list[list[float]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            variants.setdefault(row["variant"], []).append([float(cut) for cut in row["cuts"].split()])
    return variants


def _parents(path: Path) -> list[list[int]]:
    nodes = [line.split(":") for line in path.read_text().splitlines()]
    if [int(node) for node, _ in nodes] != list(range(len(nodes))):
        raise ValueError(f"Nodes are out of order in {path.name}.")
    return [[int(parent) for parent in parents.split()] for _, parents in nodes]


def read_folder(folder: Path) -> tuple[dict[str, np.ndarray], dict]:
    """Arrays and everything else of one data set, from its text files."""
    arrays: dict[str, np.ndarray] = {}
    about: dict = {"holds": []}
    if (folder / "train.csv").exists():
        attributes = json.loads((folder / "schema.json").read_text())["attributes"]
        d = len(attributes) - 1
        header, train = _table(folder / "train.csv")
        _, test = _table(folder / "test.csv")
        arrays["train_codes"], arrays["train_classes"] = _codes(train[:, :d]), _codes(train[:, d])
        arrays["test_codes"], arrays["test_classes"] = _codes(test[:, :d]), _codes(test[:, d])
        if header[-1] == "__weight__":
            arrays["sample_weight"] = train[:, -1]
        settings = sorted(
            path.stem
            for path in folder.glob("*.csv")
            if path.stem not in NOT_CLASSIFIERS and not path.stem.startswith("J48")
        )
        arrays["probabilities"] = np.stack([_table(folder / f"{name}.csv")[1] for name in settings])
        about["holds"].append("classifiers")
        about["column_names"] = [attribute["name"] for attribute in attributes[:d]]
        about["n_values"] = [attribute["n_values"] for attribute in attributes[:d]]
        about["n_classes"] = attributes[d]["n_values"]
        about["settings"] = settings
        about["parents"] = {
            path.name.removesuffix(".parents.txt"): _parents(path) for path in sorted(folder.glob("*.parents.txt"))
        }
    if (folder / "train_numeric.csv").exists():
        numeric = np.array(["cuts" in attribute for attribute in attributes[:d]])
        for part in ("train", "test"):
            values = _table(folder / f"{part}_numeric.csv")[1][:, :d]
            values[:, ~numeric] = np.where(values[:, ~numeric] < 0, np.nan, values[:, ~numeric])
            arrays[f"{part}_numeric"] = values
        about["holds"].append("numeric")
        about["numeric_columns"] = numeric.tolist()
    cuts = {which: _cuts(path) for which in ("train", "full") if (path := folder / f"cuts_{which}.csv").exists()}
    if cuts:
        about["holds"].append("cuts")
        about["cuts"] = cuts
    return arrays, about


def pack(folder: Path) -> Path:
    """Write the packed file of one data set."""
    arrays, about = read_folder(folder)
    archive = io.BytesIO()
    np.savez(archive, about=np.array(json.dumps(about)), **arrays)
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / f"{folder.name}{SUFFIX}"
    # Doubles barely compress; the gain is that many settings give the same answer, hence one archive a set.
    target.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    return target


def main(source: str) -> None:
    """Pack every data set in the folder."""
    for folder in sorted(path for path in Path(source).iterdir() if path.is_dir()):
        target = pack(folder)
        print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
