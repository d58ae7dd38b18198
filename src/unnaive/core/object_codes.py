"""Codes of objects by their addresses: a long column of objects mostly repeats a few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit

_SLOTS = 1 << 13
_MAX_OBJECTS = _SLOTS // 2


def distinct_objects(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int32]] | None:
    """The objects of an array in the order in which they appear, and their codes; None if they are too many.

    Objects that are equal are told apart if they are not the same.
    """
    values = np.ascontiguousarray(values)
    codes, first = np.empty(len(values), np.int32), np.empty(_MAX_OBJECTS, np.int64)
    n_objects = _number_addresses(np.asarray(_Addresses(values)), codes, first)
    return None if n_objects < 0 else (values[first[:n_objects]].tolist(), codes)


class _Addresses:
    """The addresses of the objects of an array."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values  # which have to live as long
        self.__array_interface__ = {
            "version": 3,
            "shape": values.shape,
            "typestr": np.dtype(np.intp).str,
            "data": (values.ctypes.data, False),
        }


@njit(cache=True, nogil=True)
def _number_addresses(addresses, codes, first):
    """Number addresses as they appear, by a hash table; -1 if they are more than there is room for."""
    owners = np.full(_SLOTS, -1, np.int32)
    n_objects = 0
    for row in range(len(addresses)):
        address = addresses[row]
        slot = (address >> 4) ^ (address >> 15)
        while True:
            slot &= _SLOTS - 1
            owner = owners[slot]
            if owner < 0:
                if n_objects == len(first):
                    return -1
                owners[slot] = n_objects
                first[n_objects] = row
                codes[row] = n_objects
                n_objects += 1
                break
            if addresses[first[owner]] == address:
                codes[row] = owner
                break
            slot += 1
    return n_objects
