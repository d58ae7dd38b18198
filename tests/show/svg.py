"""What all displays share: axes that are given, and an SVG whose words and colours can be read."""

from xml.etree import ElementTree

from unnaive.show.style import PALETTE, THEME, shorten, to_svg

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


def assert_drawn_again_in_others(draw, axes):
    """A display, drawn by ``draw`` into axes that it is given, draws the same into others; its first words."""
    one, other = axes(), axes()
    display = draw(one)
    assert display.ax_ is one
    words = [text.get_text() for text in one.texts]
    assert display.plot(ax=other) is display
    assert display.ax_ is other
    assert display.figure_ is other.figure
    assert [text.get_text() for text in other.texts] == words
    assert other.get_facecolor()[3] == 0.0
    return words


def assert_names_and_variables_alone(draw, axes, names, colours):
    """The SVG of a display has all names as they are and no colours but variables, some of them for sure."""
    text = to_svg(draw(axes()), prefix="p")
    written = written_in(text)
    for name in names:
        assert shorten(name, 24) in written
    used = colours_of(text)
    assert used <= VARIABLES
    assert colours <= used
