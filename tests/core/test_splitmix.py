"""splitmix64 beside the first numbers of its published sequence of seed 0."""

import numpy as np

from unnaive.core.splitmix import STEP, mixed, uniform

SEQUENCE = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_hashes_are_those_of_the_published_sequence():
    with np.errstate(over="ignore"):
        found = [int(mixed(np.uint64(k) * STEP)) for k in range(3)]
    assert found == SEQUENCE


def test_random_numbers_are_the_leading_53_bits():
    state = np.zeros(1, np.uint64)
    assert [uniform(state) for _ in range(3)] == [(x >> 11) / 2**53 for x in SEQUENCE]
