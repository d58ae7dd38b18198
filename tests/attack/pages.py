"""Pages of hostile names, as Chromium sees them: names are text, and no script but the page's own is there or runs."""

import shutil
import subprocess
import tempfile
from html.parser import HTMLParser

from sklearn.base import BaseEstimator, ClassifierMixin

from tests.attack.violation import Violation
from unnaive.evaluate.compare import compare
from unnaive.models import MODELS
from unnaive.papers.claims import Claim
from unnaive.papers.html import write_paper_report
from unnaive.papers.rebuilt_table import Cell, RebuiltTable
from unnaive.papers.reproduction import Reproduction
from unnaive.show.evidence import EvidenceDisplay
from unnaive.show.report import write_report

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
LINKS = ("href", "xlink:href", "src", "action", "formaction")
RUNS = "document.title='PWNED'"
NAMES = [
    f"<img src=x onerror={RUNS}>",
    f"</script><script>{RUNS}</script>",
    f"</title></style></textarea><script>{RUNS}</script>",
    f"--><script>{RUNS}</script><!--",
    f"]]><script>{RUNS}</script>",
    f"javascript:{RUNS}",
    f'" autofocus tabindex=0 onfocus="{RUNS}',
    "' onload='" + RUNS.replace("'", "&#39;"),
    f'"><svg onload={RUNS}>',
    f"<a href=javascript:{RUNS}>&lt;b&gt; &amp;",
]


class Failing(ClassifierMixin, BaseEstimator):
    """Fails, and says so in these words."""

    def __init__(self, words=""):
        self.words = words

    def fit(self, X, y):
        raise ValueError(self.words)


def written(rng, frame, labels):
    """A page of each kind, in the current folder, with the names that it has to show."""
    one, other, error, data, title = rng.permutation(NAMES)[:5].tolist()
    names = [one, other, data, title]
    comparison = compare({one: MODELS["nb"].make(), other: Failing(error)}, {data: (frame, labels)}, cv=2)
    write_report(comparison, "names.html", command=title)
    evidence = EvidenceDisplay.of(MODELS["nb"].make().fit(frame, labels), frame[:1])
    table = RebuiltTable(title, [one], [other], {(one, other): Cell(0.5, printed=0.4)})
    found = Reproduction([table], {title: evidence}, True, [Claim.impossible(one, other)], [data], {one: other}, [data])
    write_paper_report(found, "paper.html", title=title, command=data)
    return {"names.html": [*names, error], "paper.html": names}


def wrong(page, names, story):
    """What is wrong with a page: a script that ran, elements or attributes made of names, names that are not seen."""
    seen = Seen(opened(page))
    if not seen.tags:
        yield Violation(f"{page}: Chromium shows nothing", story)
    if seen.title == "PWNED":
        yield Violation(f"{page}: a script of a name runs", story)
    if strange := seen.strange:
        yield Violation(f"{page}: a name becomes part of the page", f"{strange}\n{story}")
    for name in names:
        if " ".join(name.split()) not in " ".join(seen.text.split()):
            yield Violation(f"{page}: a name is not shown as it is", f"{name}\n{story}")


def opened(page):
    """The page as Chromium has it after its scripts ran."""
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as profile:
        command = ["chromium", *FLAGS, f"--user-data-dir={profile}", "--dump-dom", page.absolute().as_uri()]
        return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()


class Seen(HTMLParser):
    """Title, text and elements of a page, and what is strange about them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.title, self.text, self.strange = [], "", "", []
        self.feed(page)
        self.close()
        if self.tags.count("script") > 1:
            self.strange.append("another script")

    def handle_starttag(self, tag, attrs):
        self.tags.append("data" if tag == "script" and ("type", "application/json") in attrs else tag)
        if tag in ("img", "iframe", "object", "embed", "foreignobject"):
            self.strange.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in LINKS and (value or "").strip().lower().startswith("javascript:")):
                self.strange.append(f"{tag} {name}={value}")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "title" and not self.title:
            self.title = data
        self.text += data


def is_installed():
    """Whether there is a browser to open pages with."""
    return shutil.which("chromium") is not None
