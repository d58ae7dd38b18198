"""Text that fits, positions that keep apart, and SVG for a web page."""

from matplotlib.figure import Figure

from unnaive.show.style import shorten, spread, text_width, to_svg


def test_a_long_name_has_an_ellipsis_in_its_middle():
    assert shorten("stalk-surface-above-ring", 15) == "stalk-s…ve-ring"


def test_positions_move_as_little_as_their_gaps_demand():
    assert spread([1.0, 1.0, 4.0], 1.0).tolist() == [0.5, 1.5, 4.0]


def test_an_svg_is_an_element_of_the_class_figure():
    assert to_svg(Figure(figsize=(4, 3)), prefix="empty")[:42] == '<svg class="figure" xmlns="http://www.w3.o'


def test_a_text_is_as_wide_as_its_letters():
    assert text_width("", 10) == 0
    assert 0 < text_width("i", 10) < text_width("W", 10) < text_width("W", 10, "bold")
