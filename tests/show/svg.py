"""What is in an SVG of a display: its words and its colours."""

from xml.etree import ElementTree

from unnaive.show.style import PALETTE, THEME

VARIABLES = {f"var(--{name})" for name in THEME} | {f"var(--c{place})" for place in range(len(PALETTE))} | {"none"}


def written_in(text):
    """All that is written, one piece a line."""
    return "\n".join(ElementTree.fromstring(text).itertext())


def colours_of(text):
    """All colours of lines, areas and words; every word has one."""
    used = set()
    for element in ElementTree.fromstring(text).iter():
        rules = dict(rule.split(": ", 1) for rule in element.attrib.get("style", "").split("; ") if ": " in rule)
        used |= {rules[name] for name in ("fill", "stroke") if name in rules}
        assert not element.tag.endswith("text") or "fill" in rules, element.text
    return used
