"""The built site in a browser: set UNNAIVE_SITE to its folder."""

import inspect
import os
import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import unnaive.io
import unnaive.papers
import unnaive.persist
import unnaive.show
from unnaive.models import PUBLIC_NAMES

pytestmark = pytest.mark.thorough
PAGES = ("index.html", "guide/averaged.html", "gallery/plot_tan_structure.html", "api/AnDE.html")
# Text that ends beyond the window, where nothing around it can be scrolled.
CUT_OFF = """
const scrolls = (element) => element
  && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement.closest("article *")));
return [...document.querySelectorAll("article *")]
  .filter((element) => element.innerText && element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element))
  .map((element) => element.innerText.slice(0, 60));
"""


@pytest.fixture(scope="module")
def site():
    if "UNNAIVE_SITE" not in os.environ:
        pytest.skip("needs the built site: set UNNAIVE_SITE to its folder")
    return Path(os.environ["UNNAIVE_SITE"]).resolve()


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places within it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.ids, self.images_without_text = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("img", "script", "iframe", "source") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon"):
            self.loaded.append(values["href"])
        if tag == "img" and "alt" not in values:  # "" is for what only decorates, as a thumbnail beside its title
            self.images_without_text.append(values.get("src"))


@pytest.fixture(scope="module")
def pages(site):
    return {
        path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if "_static" not in path.parts
    }


def is_elsewhere(address):
    return re.match(r"(?:[a-z]+:)?//", address) is not None


def test_every_link_leads_to_a_place_that_exists(pages):
    broken = []
    for path, page in pages.items():
        for link in {*page.links, *page.loaded}:
            if is_elsewhere(link) or link.startswith(("mailto:", "data:", "javascript:")):
                continue
            address, place = urldefrag(link)
            target = (path.parent / unquote(address.split("?")[0])).resolve() if address else path
            if target.is_dir():
                target = target / "index.html"
            is_place = bool(place) and not place.startswith(":~:")  # which is text to look for, if a browser can
            if not target.exists() or (is_place and target in pages and unquote(place) not in pages[target].ids):
                broken.append((path.name, link))
    assert not broken


def test_nothing_is_loaded_from_elsewhere(pages):
    assert not [
        (path.name, address) for path, page in pages.items() for address in page.loaded if is_elsewhere(address)
    ]


def test_images_have_alternative_texts(pages):
    assert not [(path.name, page.images_without_text) for path, page in pages.items() if page.images_without_text]


def test_everything_public_has_a_page(pages, site):
    packages = (unnaive.show, unnaive.papers, unnaive.io, unnaive.persist, import_module("unnaive.distributed"))
    names = [*PUBLIC_NAMES, *(f"{package.__name__[8:]}.{name}" for package in packages for name in package.__all__)]
    missing = [name for name in names if site / "api" / f"{name}.html" not in pages]
    assert missing == ["papers.PAPERS"]
    assert not [page.name for page in (site / "api").glob("*.html") if "Bases: object" in page.read_text("utf-8")]


@pytest.mark.parametrize("name", list(PUBLIC_NAMES))
def test_the_page_of_a_class_has_its_methods(name, site):
    text = (site / "api" / f"{name}.html").read_text(encoding="utf-8")
    own = getattr(import_module("unnaive"), name)
    methods = [
        method
        for method, value in inspect.getmembers(own, inspect.isfunction)
        if not method.startswith("_") and value.__module__.startswith("unnaive")
    ]
    assert not [method for method in methods if f'id="unnaive.{name}.{method}"' not in text]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_quiet_and_fits(page, width, scheme, site, browser):
    browser.open(site / page, width=width, scheme=scheme)
    assert browser.becomes(lambda: browser.run("return document.readyState") == "complete")
    assert browser.messages() == []
    assert [request for request in browser.requests() if not request.startswith(("file:", "data:"))] == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    shade = [int(part) for part in re.findall(r"\d+", browser.style("body", "backgroundColor"))[:3]]
    assert (sum(shade) > 600) == (scheme == "light")


def test_a_phone_shows_pages_without_cutting_text_off(site, browser):
    """All pages that were written, and every third of those that were made."""
    pages = sorted(page for page in site.rglob("*.html") if not {"_static", "_modules"} & {*page.parts})
    made = [page for page in pages if page.parent.name in ("api", "gallery")]
    assert len(pages) > 150
    for page in sorted({*pages} - {*made}) + made[::3]:
        browser.open(page, width=375, height=812)
        assert (page.name, browser.run(CUT_OFF)) == (page.name, [])


@pytest.mark.parametrize("words", ["forget", "missing values"])
def test_search_finds(words, site, browser):
    browser.open(site / "index.html")
    browser.chrome.get((site / "search.html").as_uri() + f"?q={words.replace(' ', '+')}")
    found = "return document.querySelectorAll('#search-results li').length"
    assert browser.becomes(lambda: browser.run(found) >= 3, seconds=20)


@pytest.mark.parametrize("question", ["choose", "missing-values", "explaining", "forgetting", "large-data"])
def test_a_readers_question_is_one_click_away(question, site, pages):
    assert any(urldefrag(link)[0].endswith(f"{question}.html") for link in pages[site / "index.html"].links)


def test_code_can_be_copied(site, browser):
    listen = "window.copied = document.activeElement.value || String(getSelection())"
    browser.open(site / "index.html", before=f"addEventListener('copy', () => {{ {listen} }}, true)")
    assert browser.becomes(lambda: browser.run("return document.querySelectorAll('button.copybtn').length") > 0)
    x, y = browser.run(
        "const button = document.querySelector('button.copybtn'); button.scrollIntoView({block: 'center'});"
        "const place = button.getBoundingClientRect(); return [place.x + place.width / 2, place.y + place.height / 2]"
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    assert browser.becomes(lambda: "import pandas" in (browser.run("return window.copied") or ""))


def test_the_representation_of_an_estimator_links_to_its_page(site):
    assert any('href="../api/' in page.read_text(encoding="utf-8") for page in (site / "gallery").glob("plot_*.html"))
