"""Decoder of the graph auto-encoder: the reconstruction loss of the adjacency matrix and its gradient.

The probability that rows i and j are joined is sigmoid(z_i·z_j). All n² cells of the adjacency matrix count, so the
work is quadratic; nothing of size n × n is ever stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import exp, log, log1p
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.random import Generator
from numpy.typing import DTypeLike, NDArray

from unnaive.core.compiled import njit

# Maximum number of rows for which "auto" uses all pairs. On tables of 2,310 to 5,500 rows, two seeds, sampling changed
# the accuracy of Gaussian naive Bayes by -0.7 to +0.7 points, 0.0 on average, much as another seed does, though on the
# smallest table it lost about 0.6 with both. Around 5,000 rows it takes a quarter to a third of the CPU time. At 8,000
# rows of 20 columns all pairs take about half a minute on two threads.
EXACT_UP_TO = 8000

_GROUP = 512  # rows per group of the sampled decoder
_BLOCK = 256  # rows per block: they and their sums stay in the L1 cache
_WIDTH_STEP = 16  # of blocks: the numbers in the widest SIMD vectors
_STEP = 4  # rows, or columns, per iteration of a kernel's loop
_N_LANES = 8  # shares of the work; fixed, so that sums do not depend on the number of threads

# exp in float32: x = n log 2 + r, with log 2 in two parts so that r is exact, and the series of exp(r).
_PER_LOG_2 = np.float32(1 / log(2))
_LOG_2_HIGH = np.float32(0.693359375)
_LOG_2_LOW = np.float32(log(2) - 0.693359375)
_HALF, _ONE = np.float32(0.5), np.float32(1)
_C3, _C4, _C5, _C6, _C7 = (np.float32(1 / factorial) for factorial in (6, 24, 120, 720, 5040))
_FAR = np.float32(87)  # exp(±87) is still a normal number
_EXPONENT_BIAS, _FRACTION_BITS = np.int32(127), np.int32(23)


class Reconstruction(NamedTuple):
    """The loss, NaN if it was not asked for, and its derivatives by the rows."""

    loss: float
    gradient: NDArray[Any]


class Decoder:
    """The reconstruction term of the auto-encoder's loss, and its gradient.

    With T the adjacency matrix, loops included, e its sum and s = ZZᵀ, the loss is half the mean of -log sigmoid(s)
    over the e cells that are 1, and half the mean of -log(1 - sigmoid(s)) over the n² - e cells that are 0. This is the
    paper's weighted cross-entropy, in a form that also holds for complete graphs.

    ``edges`` are pairs of joined rows, each once, without loops. With several groups, rows are split at random, and
    only pairs within a group count, weighted so that loss and gradient are unbiased; joined rows and loops always count
    exactly. The result does not depend on ``n_jobs``, of which up to eight are used.
    """

    def __init__(
        self,
        edges: NDArray[np.int64],
        n_rows: int,
        n_columns: int,
        dtype: DTypeLike,
        n_groups: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self._edges = edges
        self._n_rows, self._n_columns, self._n_groups = n_rows, n_columns, n_groups
        n_ones = n_rows + 2 * len(edges)
        n_zeros = n_rows**2 - n_ones
        self._one, self._zero = 0.5 / n_ones, (0.5 / n_zeros if n_zeros else 0.0)

        sizes = np.full(n_groups, n_rows // n_groups)
        sizes[: n_rows % n_groups] += 1
        self._n_blocks = _ceil(int(sizes.max()), _BLOCK)
        self._width = _round_up(_ceil(int(sizes.max()), self._n_blocks), _WIDTH_STEP)
        room = self._n_blocks * self._width
        self._n_filled = n_groups * room**2 - int(sizes @ sizes)
        within = int(sizes @ (sizes - 1))
        # One over the probability of a pair to be within a group.
        self._weight = n_rows * (n_rows - 1) / within if within else 1.0
        starts = np.cumsum(sizes) - sizes
        self._places = np.arange(n_rows) + np.repeat(room * np.arange(n_groups) - starts, sizes)
        self.order = np.arange(n_rows)

        self._lanes = _lanes(n_groups, self._n_blocks)
        shape = (n_groups * room, _round_up(n_columns, _STEP))
        self._rows = np.zeros(shape, dtype=dtype)
        # Groups are disjoint, so their lanes can share sums; blocks of one group cannot.
        self._sums = np.zeros((len(self._lanes) if n_groups == 1 else 1, *shape), dtype=dtype)
        n_threads = min(effective_n_jobs(n_jobs), len(self._lanes))
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Decoder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def shuffle(self, random: Generator) -> None:
        """Split the rows into new groups."""
        if self._n_groups > 1:
            self.order = random.permutation(self._n_rows)

    def reconstruct(self, Z: NDArray[Any], with_loss: bool = False) -> Reconstruction:
        """The loss of rows, if asked for (logarithms take time), and its gradient."""
        sums, within = self._over_groups(Z, with_loss)
        # d/dz_i sums over cells (i, j) and (j, i), which are equal: hence the 2.
        gradient = np.multiply(sums, 2 * self._zero * self._weight, dtype=Z.dtype)
        ones, loops = _add_ones(
            Z, self._edges, self._one, self._zero, self._zero * (1 - self._weight), with_loss, gradient
        )
        if not with_loss:
            return Reconstruction(float("nan"), gradient)
        return Reconstruction(ones + self._zero * (self._weight * within + (1 - self._weight) * loops), gradient)

    def _over_groups(self, Z: NDArray[Any], with_loss: bool) -> tuple[NDArray[Any], float]:
        """Σ_j sigmoid(s_ij) z_j for each row i, and Σ_ij softplus(s_ij); j is in the group of i, and may be i."""
        self._rows[self._places, : self._n_columns] = Z[self.order]
        self._sums[:] = 0.0

        def work(lane: int) -> float:
            sums = self._sums[lane % len(self._sums)]
            return _add_blocks(self._rows, self._lanes[lane], self._width, self._n_blocks, with_loss, sums)

        lanes = range(len(self._lanes))
        losses = [work(lane) for lane in lanes] if self._pool is None else list(self._pool.map(work, lanes))
        together = self._sums[0]
        for sums in self._sums[1:]:
            together += sums
        gradient = np.empty_like(Z)
        gradient[self.order] = together[self._places, : self._n_columns]
        return gradient, sum(losses) - log(2) * self._n_filled


def groups_of(n_rows: int, decoder: str) -> int:
    """Number of groups into which a decoder splits rows.

    "exact" uses all pairs, "sampled" those within groups of about 512 rows, and "auto" is exact up to ``EXACT_UP_TO``
    rows.
    """
    if decoder not in ("exact", "sampled", "auto"):
        raise ValueError(f"The decoder is {decoder!r}, but must be 'exact', 'sampled' or 'auto'.")
    exact = decoder == "exact" or (decoder == "auto" and n_rows <= EXACT_UP_TO)
    return 1 if exact else max(1, _ceil(n_rows, _GROUP))


def _ceil(number: int, by: int) -> int:
    return -(-number // by)


def _round_up(number: int, step: int) -> int:
    return _ceil(number, step) * step


def _lanes(n_groups: int, n_blocks: int) -> Sequence[NDArray[np.int64]]:
    """Blocks in shares of about the same work; all blocks of a group are in one share unless it is the only one."""
    if n_groups > 1:
        lane = np.arange(n_groups).repeat(n_blocks) % _N_LANES
    else:
        # The work of a block grows with its number: deal them out from the last, back and forth.
        dealt = np.arange(n_blocks)[::-1] % (2 * _N_LANES)
        lane = np.minimum(dealt, 2 * _N_LANES - 1 - dealt)
    return [np.flatnonzero(lane == number) for number in range(lane.max() + 1)]


@njit(cache=True, nogil=True)
def _add_ones(Z, edges, one, zero, loop_zero, with_loss, gradient):
    """Correct the gradient for cells that are 1, add ``loop_zero`` times that of loops as 0, and sum the losses."""
    ones = loops = 0.0
    n_rows, n_columns = Z.shape
    for place in range(n_rows + len(edges)):
        i, j = (place, place) if place < n_rows else (edges[place - n_rows, 0], edges[place - n_rows, 1])
        s = 0.0
        for k in range(n_columns):
            s += Z[i, k] * Z[j, k]
        e = exp(-abs(s))
        sigmoid = (1.0 if s >= 0 else e) / (1 + e)
        softplus = max(s, 0.0) + log1p(e) if with_loss else 0.0
        by_s = one * (sigmoid - 1) - zero * sigmoid
        loss = one * (softplus - s) - zero * softplus
        if i == j:
            ones += loss
            loops += softplus
            by_s += loop_zero * sigmoid
            for k in range(n_columns):
                gradient[i, k] += 2 * by_s * Z[i, k]
        else:
            ones += 2 * loss
            for k in range(n_columns):
                gradient[i, k] += 2 * by_s * Z[j, k]
                gradient[j, k] += 2 * by_s * Z[i, k]
    return ones, loops


@njit(cache=True, nogil=True)
def _add_blocks(Z, blocks, width, n_blocks, with_loss, sums):
    """Add Σ_j sigmoid(s_ij) z_j to the sums of rows i, for pairs with a row in a block, and sum softplus(s_ij).

    A block is paired with the rows of its group up to its own end, four at a time; each product serves both rows of a
    pair. Blocks are padded with rows of zeros, which add nothing to sums, and log 2 to the loss for each of their
    pairs.
    """
    n_columns = Z.shape[1]
    block = np.zeros(n_columns * _BLOCK, Z.dtype)  # column-major, so that loops run along rows
    block_sums = np.zeros(n_columns * _BLOCK, Z.dtype)
    s = np.zeros(_STEP * _BLOCK, Z.dtype)
    sigmoid = np.zeros(_STEP * _BLOCK, Z.dtype)
    bits = np.zeros(_BLOCK, np.int32)
    loss = 0.0
    for number in blocks:
        start = number * width
        for k in range(n_columns):
            for j in range(width):
                block[k * _BLOCK + j] = Z[start + j, k]
                block_sums[k * _BLOCK + j] = 0
        for i in range(number // n_blocks * n_blocks * width, start + width, _STEP):
            _multiply(Z, i, block, width, s)
            _apply_sigmoid(s, width, bits, bits.view(np.float32), sigmoid)
            _add_to_block(Z, i, sigmoid, width, block_sums)
            if i < start:
                _add_to_rows(block, sigmoid, width, i, sums)
            if with_loss:
                loss += _softplus(s, sigmoid, width) * (2 if i < start else 1)
        for j in range(width):
            for k in range(n_columns):
                sums[start + j, k] += block_sums[k * _BLOCK + j]
    return loss


# The loops below run to min(width, _BLOCK), which is always width: it lets the compiler see that no index is negative,
# and only then does it vectorize them. Fused multiplications, and sums in SIMD lanes, are the same in every run.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _multiply(Z, i, block, width, s):
    """Products of the four rows from i on with the rows of a block."""
    s[:] = 0
    for k in range(0, Z.shape[1], _STEP):
        z00, z01, z02, z03 = Z[i, k], Z[i, k + 1], Z[i, k + 2], Z[i, k + 3]
        z10, z11, z12, z13 = Z[i + 1, k], Z[i + 1, k + 1], Z[i + 1, k + 2], Z[i + 1, k + 3]
        z20, z21, z22, z23 = Z[i + 2, k], Z[i + 2, k + 1], Z[i + 2, k + 2], Z[i + 2, k + 3]
        z30, z31, z32, z33 = Z[i + 3, k], Z[i + 3, k + 1], Z[i + 3, k + 2], Z[i + 3, k + 3]
        four = block[k * _BLOCK : (k + _STEP) * _BLOCK]
        for j in range(min(width, _BLOCK)):
            b0, b1, b2, b3 = four[j], four[_BLOCK + j], four[2 * _BLOCK + j], four[3 * _BLOCK + j]
            s[j] += z00 * b0 + z01 * b1 + z02 * b2 + z03 * b3
            s[_BLOCK + j] += z10 * b0 + z11 * b1 + z12 * b2 + z13 * b3
            s[2 * _BLOCK + j] += z20 * b0 + z21 * b1 + z22 * b2 + z23 * b3
            s[3 * _BLOCK + j] += z30 * b0 + z31 * b1 + z32 * b2 + z33 * b3


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _apply_sigmoid(s, width, bits, powers, sigmoid):
    """Sigmoids; in float32 by a series, which can be vectorized. ``powers`` are ``bits`` read as float32."""
    for row in range(_STEP):
        x = s[row * _BLOCK : (row + 1) * _BLOCK]
        t = sigmoid[row * _BLOCK : (row + 1) * _BLOCK]
        if s.itemsize == 4:
            for j in range(min(width, _BLOCK)):
                r = -min(max(x[j], -_FAR), _FAR)
                n = np.floor(r * _PER_LOG_2 + _HALF)
                r = (r - n * _LOG_2_HIGH) - n * _LOG_2_LOW
                t[j] = _ONE + r * (_ONE + r * (_HALF + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * _C7))))))
                bits[j] = (np.int32(n) + _EXPONENT_BIAS) << _FRACTION_BITS  # 2 to the power n
            for j in range(min(width, _BLOCK)):
                t[j] = _ONE / (_ONE + t[j] * powers[j])
        else:
            for j in range(min(width, _BLOCK)):
                e = exp(-abs(x[j]))
                t[j] = (1.0 if x[j] >= 0 else e) / (1.0 + e)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _add_to_block(Z, i, sigmoid, width, block_sums):
    """Add the four rows from i on to the sums of each row of a block."""
    for k in range(0, Z.shape[1], _STEP):
        z00, z01, z02, z03 = Z[i, k], Z[i, k + 1], Z[i, k + 2], Z[i, k + 3]
        z10, z11, z12, z13 = Z[i + 1, k], Z[i + 1, k + 1], Z[i + 1, k + 2], Z[i + 1, k + 3]
        z20, z21, z22, z23 = Z[i + 2, k], Z[i + 2, k + 1], Z[i + 2, k + 2], Z[i + 2, k + 3]
        z30, z31, z32, z33 = Z[i + 3, k], Z[i + 3, k + 1], Z[i + 3, k + 2], Z[i + 3, k + 3]
        four = block_sums[k * _BLOCK : (k + _STEP) * _BLOCK]
        for j in range(min(width, _BLOCK)):
            t0, t1, t2, t3 = sigmoid[j], sigmoid[_BLOCK + j], sigmoid[2 * _BLOCK + j], sigmoid[3 * _BLOCK + j]
            four[j] += z00 * t0 + z10 * t1 + z20 * t2 + z30 * t3
            four[_BLOCK + j] += z01 * t0 + z11 * t1 + z21 * t2 + z31 * t3
            four[2 * _BLOCK + j] += z02 * t0 + z12 * t1 + z22 * t2 + z32 * t3
            four[3 * _BLOCK + j] += z03 * t0 + z13 * t1 + z23 * t2 + z33 * t3


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _add_to_rows(block, sigmoid, width, i, sums):
    """Add the rows of a block to the sums of each of the four rows from i on."""
    for k in range(0, sums.shape[1], 2):
        r00 = r01 = r10 = r11 = r20 = r21 = r30 = r31 = block.dtype.type(0)
        two = block[k * _BLOCK : (k + 2) * _BLOCK]
        for j in range(min(width, _BLOCK)):
            b0, b1 = two[j], two[_BLOCK + j]
            t0, t1, t2, t3 = sigmoid[j], sigmoid[_BLOCK + j], sigmoid[2 * _BLOCK + j], sigmoid[3 * _BLOCK + j]
            r00 += t0 * b0
            r01 += t0 * b1
            r10 += t1 * b0
            r11 += t1 * b1
            r20 += t2 * b0
            r21 += t2 * b1
            r30 += t3 * b0
            r31 += t3 * b1
        sums[i, k] += r00
        sums[i, k + 1] += r01
        sums[i + 1, k] += r10
        sums[i + 1, k + 1] += r11
        sums[i + 2, k] += r20
        sums[i + 2, k + 1] += r21
        sums[i + 3, k] += r30
        sums[i + 3, k + 1] += r31


@njit(cache=True, nogil=True)
def _softplus(s, sigmoid, width):
    """Σ log(1 + exp(s)) = Σ max(s, 0) - log Π max(sigmoid, 1 - sigmoid), one logarithm per row of the block."""
    total = 0.0
    for row in range(_STEP):
        product = np.float64(1.0)  # of up to 256 factors of at least a half
        for j in range(row * _BLOCK, row * _BLOCK + width):
            total += max(s[j], 0.0)
            product *= max(sigmoid[j], 1.0 - sigmoid[j])
        total -= log(product)
    return total
