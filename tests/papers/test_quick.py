"""Quick runs need no data: they run on what is installed, say what is missing, and their figures stay in bands.

Bands are wide enough for other platforms and releases, and narrow enough to fail if a model is broken.
"""

import json

import pytest

from tests.cli.conftest import run  # noqa: F401 - a fixture
from unnaive.papers import PAPERS
from unnaive.papers.claims import NOT_POSSIBLE, NOT_REPRODUCED, REPRODUCED

# By paper: the beginning of a table's title, row and column, and the least and greatest figure.
BANDS = {
    "honb": [
        ("Table 2", "docstrings", "NB", 0.4, 0.9),
        ("Table 2", "docstrings", "HONB", 0.5, 0.95),
        ("Table 2", "docstrings", "HOSVM", 0.6, 0.95),
        ("Baselines", "docstrings", "tf-idf logistic", 0.7, 0.98),
    ],
    "massbayes": [
        ("Table 3", "RingCurve", "MassBayes", 0.99, 1),
        ("Table 3", "Wave", "MassBayes", 0.98, 1),
        ("Table 3", "Wave", "NB-Disc", 0.74, 0.84),
        ("Table 3", "Wave", "A2DE", 0.74, 0.84),
        ("Table 3", "OneBig", "A1DE", 0.97, 1),
        ("Figure 3: size", "70,000", "MassBayes", 3, 8),
    ],
    "icgnb": [
        ("Accuracy", "wdbc", "GNB", 0.9278, 0.9318),
        ("Accuracy", "wdbc", "WANBIA", 0.9610, 0.9670),
        ("Accuracy", "wdbc", "ICGNB", 0.94, 0.985),
        ("Accuracy", "iris", "ICGNB", 0.91, 0.99),
        ("Accuracy", "wine", "AG-NBC", 0.9, 1),
    ],
    "bat": [
        ("Table 3, balanced, with substitutes: AUC-PR in %, by class", "docstrings", "NB, vector", 0.7, 0.98),
        ("AUC-PR in %, of tensors", "docstrings", "Bat", 0.7, 0.97),
        ("AUC-PR in %, of baselines", "docstrings", "logistic, many", 0.93, 1),
    ],
    "dtc": [
        ("Section 7: accuracy", "wine", "naive Bayes", 0.95, 1),
        ("Section 7: accuracy", "wine", "cp, best K", 0.88, 1),
        ("Accuracy in %, held-out", "iris", "mixture", 0.9, 0.98),
        ("Accuracy in %, held-out", "wine", "mixture", 0.94, 1),
    ],
}
# Sets that are to be had only with data.
MISSING = {
    "honb": {"RELIGION": "fetch_20newsgroups()", "SCIENCE": "fetch_20newsgroups()"},
    "massbayes": {"Pendigits": "UCI", "Mamograph": "OpenML", "MiniBooNE": "UCI"},
    "icgnb": {"appendicitis": "KEEL", "glass": "KEEL", "sonar": "KEEL"},
    "bat": {"PTC-MM": "Toxicology", "Reuters": "Reuters-21578"},
    "dtc": {"COMIK": "never published", "lymph": "UCI"},
}


@pytest.fixture
def bare(monkeypatch, tmp_path, tmp_path_factory):
    """A machine without data sets and caches."""
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.chdir(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("paper", BANDS)
def test_a_quick_run_without_data_stays_in_bands_and_says_what_is_missing(paper, run, bare, tmp_path):  # noqa: F811
    code, printed, error = run("reproduce", paper, "--quick", "--json", "--report", "it.html", "--jobs", "2")
    assert code == 0, error
    told = json.loads(printed)
    assert told["paper"] == PAPERS[paper]
    for title, row, column, least, greatest in BANDS[paper]:
        (table,) = [table for table in told["tables"] if table["title"].startswith(title)]
        (cell,) = [cell for cell in table["cells"] if (cell["row"], cell["column"]) == (row, column)]
        assert least <= cell["measured"] <= greatest, cell
    worked = [table for table in told["tables"] if table["title"].startswith("Worked example")]
    assert len(worked) == (paper in ("honb", "bat"))
    for cell in (cell for table in worked for cell in table["cells"] if cell["difference"] is not None):
        assert abs(cell["difference"]) <= 1e-6
    assert told["claims"]
    assert {claim["verdict"] for claim in told["claims"]} <= {REPRODUCED, NOT_REPRODUCED, NOT_POSSIBLE}
    assert {claim["verdict"] for claim in told["claims"] if "every data set" in claim["statement"]} <= {NOT_POSSIBLE}
    for name, where in MISSING[paper].items():
        assert where in told["missing"][name]
    assert told["notes"]
    assert [path.name for path in tmp_path.iterdir()] == ["it.html"]
    page = (tmp_path / "it.html").read_text(encoding="utf-8")
    for name in MISSING[paper]:
        assert name in page
    assert all(claim["statement"].split("'")[0] in page for claim in told["claims"])
