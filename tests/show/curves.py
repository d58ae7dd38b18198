"""What all displays of curves share: names at the ends of the curves, in order and apart."""

from itertools import pairwise

import pytest

from tests.papers.honb.test_log_ratio_display import words_of
from tests.show.test_displays import overlapping
from unnaive.show.style import TEXT_SIZE


def assert_labels_in_order_and_apart(display, labels, ends, last_x):
    """Names begin beyond the last x at the same place, within the axes, from the lowest end to the highest."""
    words, frame = words_of(display, labels), display.ax_.get_window_extent()
    beyond, _ = display.ax_.transData.transform((last_x, 1))
    assert all(beyond < box.x0 and box.x1 <= frame.x1 + 1 for box in words)
    assert all(frame.y0 - 1 <= box.y0 and box.y1 <= frame.y1 + 1 for box in words)
    assert len({round(box.x0) for box in words}) == 1
    heights = [
        label.xyann[1] + display.ax_.transData.transform(label.xy)[1] * 72 / display.figure_.dpi for label in labels
    ]
    by_end = sorted(range(len(ends)), key=ends.__getitem__)
    for lower, upper in pairwise(by_end):
        assert heights[upper] - heights[lower] >= 1.2 * labels[0].get_fontsize()


def assert_labels_level_with(labels, last_x, ends):
    """Names that have room stand level with the ends of their curves, at the usual size."""
    for label, end in zip(labels, ends, strict=True):
        assert label.xy == pytest.approx((last_x, end))
        assert label.xyann[1] == pytest.approx(0, abs=1e-6)
        assert label.get_fontsize() == TEXT_SIZE


def assert_labels_small_and_apart(display, labels):
    """Names for which there is too little room are smaller, and none covers another."""
    assert labels[0].get_fontsize() < TEXT_SIZE
    assert not overlapping(words_of(display, labels))
