import numpy as np
import pytest

from unnaive.instance_graph.vgae_decoder import Decoder, groups_of


def test_the_loss_and_gradient_of_three_rows():
    Z = np.array([[1.0], [1.0], [-1.0]])
    with Decoder(np.array([[0, 1]]), 3, 1, np.float64) as decoder:
        loss, gradient = decoder.reconstruct(Z, with_loss=True)
    assert loss == pytest.approx(0.313262, abs=1e-6)
    assert gradient.ravel() == pytest.approx([-0.175, -0.175, 0.188], abs=5e-4)


def test_rows_are_split_into_groups_of_about_512():
    assert (groups_of(2000, "auto"), groups_of(2000, "sampled"), groups_of(20_000, "auto")) == (1, 4, 40)
