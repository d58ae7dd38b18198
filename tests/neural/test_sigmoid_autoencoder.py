import numpy as np
import pytest

from unnaive.neural.sigmoid_autoencoder import draw_units, encoding_error, hidden_units, train_units


def test_the_encoder_has_a_bias_and_the_decoder_has_none():
    units = draw_units(3, 2, np.random.RandomState(0))
    assert (units.encoder.shape, units.decoder.shape) == ((4, 2), (2, 3))


def test_training_lowers_the_error():
    random = np.random.RandomState(0)
    rows = np.repeat(random.uniform(size=(20, 1)), 3, axis=1)
    start = draw_units(3, 2, random)
    *_, last = train_units(rows, start, n_epochs=50, learning_rate=0.05, momentum=0.1, random=random)
    errors = [encoding_error(rows, hidden_units(rows, each.encoder), each.decoder) for each in (start, last)]
    assert errors == pytest.approx([3.77, 2.36], abs=0.005)


def test_units_that_repeat_each_other_cost_a_correlation_of_one():
    hidden = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert encoding_error(np.full((3, 1), 0.5), hidden, decoder=np.zeros((2, 1))) == pytest.approx(1.0)
