"""Build the source archive and the wheel, and use the wheel in a fresh environment: ``python -m tests.release``."""

import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
IN_WHEEL = {"unnaive/py.typed", "unnaive/show/templates/report.html.jinja"}
IN_ARCHIVE = {"CITATION.cff", "SECURITY.md", "conftest.py", "docs/start/install.md", "src/unnaive/py.typed"}
DATA = (".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".arff", ".dat", ".parquet", ".unnaive")
SMOKE = """
from sklearn.datasets import load_iris
from unnaive import AODE
X, y = load_iris(return_X_y=True)
assert AODE().fit(X, y).score(X, y) > 0.9
"""


def run(*command, cwd):
    """Run a command without its output, unless it fails."""
    subprocess.run([str(word) for word in command], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def check_contents(archive, wheel):
    """Both hold what they should; the wheel only the package, and neither any data."""
    with tarfile.open(archive) as opened:
        shipped = {name.partition("/")[2] for name in opened.getnames()}
    packed = set(ZipFile(wheel).namelist())
    assert shipped >= IN_ARCHIVE, IN_ARCHIVE - shipped
    assert packed >= IN_WHEEL, IN_WHEEL - packed
    assert all(name.startswith(("unnaive/", "unnaive-")) for name in packed)
    assert not [name for name in shipped | packed if name.endswith(DATA)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)  # the wheel is built from the archive
        (archive,), (wheel,) = Path(folder).glob("*.tar.gz"), Path(folder).glob("*.whl")
        check_contents(archive, wheel)
        fresh = Path(folder) / "fresh"
        venv.create(fresh, with_pip=True)
        python, unnaive = fresh / "bin" / "python", fresh / "bin" / "unnaive"
        run(python, "-m", "pip", "install", "--quiet", "--no-compile", wheel, cwd=folder)
        run(unnaive, "--version", cwd=folder)
        run(unnaive, "models", cwd=folder)
        run(python, "-c", SMOKE, cwd=folder)
        print(archive.name, wheel.name, "are built, installed and used.")


if __name__ == "__main__":
    main()
