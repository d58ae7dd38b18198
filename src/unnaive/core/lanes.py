"""Neighboring numbers of an array that compiled code computes with at once.

numba leaves loops over two to four classes to the scalar unit. These functions put as many numbers as the tuple
``lanes`` has into one register, whatever their number. Where numba does not compile, they are what they say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.typing.templates import signature
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

_FEW, _MANY = 4, 8  # doubles in one register or two


def lanes_of(n_classes: int) -> tuple[float, ...]:
    """As many lanes as a table of so many classes is computed with at once."""
    return (0.0,) * (_MANY if n_classes >= _MANY else min(n_classes, _FEW))


class _Lanes(types.Type):
    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: _Lanes) -> None:
        super().__init__(manager, lanes, ir.VectorType(ir.DoubleType(), lanes.width))


def _address(context: Any, builder: Any, signed: Any, args: Any, lanes: _Lanes) -> Any:
    """Where the numbers of a contiguous array begin; an index is not counted from the end.

    It is checked where numba checks bounds (NUMBA_BOUNDSCHECK).
    """
    array = make_array(signed.args[0])(context, builder, args[0])
    if config.BOUNDSCHECK:
        end = builder.add(args[1], ir.Constant(args[1].type, lanes.width))
        below = builder.icmp_signed("<", args[1], ir.Constant(args[1].type, 0))
        beyond = builder.icmp_signed(">", end, array.nitems)
        with builder.if_then(builder.or_(below, beyond), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))
    return builder.bitcast(builder.gep(array.data, [args[1]]), context.get_value_type(lanes).as_pointer())


@intrinsic
def _load(typing: Any, array: Any, at: Any, lanes: Any) -> Any:
    loaded = _Lanes(lanes.count)

    def generate(context: Any, builder: Any, signed: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signed, args, loaded), align=8)

    return signature(loaded, array, types.intp, lanes), generate


@intrinsic
def _store(typing: Any, array: Any, at: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signed: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signed, args, numbers), align=8)
        return context.get_dummy_value()

    return signature(types.void, array, types.intp, numbers), generate


@intrinsic
def _add(typing: Any, numbers: Any, others: Any) -> Any:
    def generate(context: Any, builder: Any, signed: Any, args: Any) -> Any:
        return builder.fadd(*args)

    return signature(numbers, numbers, numbers), generate


@intrinsic
def _multiply_smoothed(typing: Any, products: Any, counts: Any, extra: Any) -> Any:
    def generate(context: Any, builder: Any, signed: Any, args: Any) -> Any:
        in_all = ir.Constant(args[0].type, ir.Undefined)
        for lane in range(products.width):
            in_all = builder.insert_element(in_all, args[2], ir.Constant(ir.IntType(32), lane))
        return builder.fmul(args[0], builder.fadd(args[1], in_all))

    return signature(products, products, products, types.float64), generate


def _plain_load(array: NDArray[np.float64], at: int, lanes: tuple[float, ...]) -> NDArray[np.float64]:
    return array[at : at + len(lanes)].copy()


def _plain_store(array: NDArray[np.float64], at: int, numbers: NDArray[np.float64]) -> None:
    array[at : at + len(numbers)] = numbers


def _plain_add(numbers: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers + others


def _plain_multiply_smoothed(
    products: NDArray[np.float64], counts: NDArray[np.float64], extra: float
) -> NDArray[np.float64]:
    return products * (counts + extra)


load: Any = _plain_load if config.DISABLE_JIT else _load
store: Any = _plain_store if config.DISABLE_JIT else _store
add: Any = _plain_add if config.DISABLE_JIT else _add
multiply_smoothed: Any = _plain_multiply_smoothed if config.DISABLE_JIT else _multiply_smoothed
