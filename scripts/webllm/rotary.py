"""
Rotary position embedding (Su et al., 2021), which also divides [q; k; v] into its parts:

    y_d = x_d cos(p f_d) - x_(d + w/2) sin(p f_d)      d < w/2
    y_d = x_d cos(p f_d) + x_(d - w/2) sin(p f_d)      otherwise,     f_d = theta^(-2 (d mod w/2) / w)
"""

import math
import struct

from tvm import tirx
from tvm.script import tirx as T


def frequencies(config) -> list[float]:
    """f_d for d < w/2, as Hugging Face's transformers computes it, with Llama 3's scaling."""
    half = config.head_dim // 2
    plain = [config.rope_theta ** (-2 * d / config.head_dim) for d in range(half)]
    scaling = config.rope_scaling
    if not scaling:
        return plain
    factor, low, high = scaling["factor"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    context = scaling["original_max_position_embeddings"]

    def scaled(f: float) -> float:
        turns = context * f / (2 * math.pi)
        if turns < low:
            return f / factor
        if turns > high:
            return f
        share = (turns - low) / (high - low)
        return (1 - share) * f / factor + share * f

    return [scaled(f) for f in plain]


def exact(value: float):
    """
    A float32 constant to its last bit. TVM writes seven digits of a constant into a shader. 1.570312 for 1.5703125 would add 5e-7 to
    the angle for every quarter turn, and the error of log-probabilities would grow with the position.
    """
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return tirx.reinterpret("float32", tirx.const(bits, "uint32"))


def rotate(config, dtype: str):
    heads, kv_heads, width = config.heads, config.key_value_heads, config.head_dim
    half = width // 2
    values = frequencies(config)

    def frequency(d):
        """A choice between constants, since powers are inexact on graphics processors."""
        chosen = exact(values[-1])
        for index in reversed(range(half - 1)):
            chosen = tirx.Select(d % half == index, exact(values[index]), chosen)
        return chosen

    def rotated(x, s, h, d, position):
        other = tirx.if_then_else(d < half, -x[s, h, d + half], x[s, h, d - half])
        return turned(x[s, h, d], other, T.cast(position, "float32") * frequency(d))

    def turned(value, other, angle):
        """value cos(angle) + other sin(angle), after a reduction to |r| <= pi/4 and Taylor's series there."""
        turns, rest, square = (tirx.Var(name, "float32") for name in ("turns", "rest", "square"))
        quarter = tirx.Var("quarter", "int32")
        sine = rest * series(square, [6, 20, 42, 72])
        cosine = series(square, [2, 12, 30, 56, 90])
        odd = tirx.bitwise_and(quarter, 1) == 1
        sign = T.cast(1 - tirx.bitwise_and(quarter, 2), "float32")
        sin = sign * tirx.Select(odd, cosine, sine)
        cos = sign * tirx.Select(odd, -sine, cosine)
        result = (T.cast(value, "float32") * cos + T.cast(other, "float32") * sin).astype(dtype)
        # pi/2 in three parts, so that the products with `turns` are exact.
        parts = [exact(part) for part in (1.5703125, 4.837512969970703e-4, 7.549789948768648e-8)]
        reduced = ((angle - turns * parts[0]) - turns * parts[1]) - turns * parts[2]
        for variable, meaning in [
            (square, rest * rest),
            (rest, reduced),
            (quarter, T.cast(turns, "int32")),
            (turns, tirx.floor(angle * exact(2 / math.pi) + tirx.const(0.5, "float32"))),
        ]:
            result = tirx.Let(variable, meaning, result)
        return result

    def series(square, divisors):
        """1 - s/d0 (1 - s/d1 (1 - ...))"""
        value = tirx.const(1, "float32")
        for divisor in reversed(divisors):
            value = tirx.const(1, "float32") - square * exact(1 / divisor) * value
        return value

    @T.prim_func(s_tir=True)
    def rotary(
        var_qkv: T.handle, var_positions: T.handle, var_q: T.handle, var_k: T.handle, var_v: T.handle, applies: T.int64
    ):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        length = T.int32()
        positions_offset = T.int32()
        qkv = T.match_buffer(var_qkv, (length, heads + 2 * kv_heads, width), dtype)
        positions = T.match_buffer(var_positions, (length,), "int32", elem_offset=positions_offset)
        q = T.match_buffer(var_q, (length, heads, width), dtype)
        k = T.match_buffer(var_k, (length, kv_heads, width), dtype)
        v = T.match_buffer(var_v, (length, kv_heads, width), dtype)
        for iters in T.grid(length, heads + 2 * kv_heads, width):
            with T.sblock("rotate"):
                s, h, d = T.axis.remap("SSS", iters)
                if h < heads:
                    q[s, h, d] = T.if_then_else(applies > 0, rotated(qkv, s, h, d, positions[s]), qkv[s, h, d])
                elif h < heads + kv_heads:
                    k[s, h - heads, d] = T.if_then_else(
                        applies > 0, rotated(qkv, s, h, d, positions[s]), qkv[s, h, d]
                    )
                else:
                    v[s, h - (heads + kv_heads), d] = qkv[s, h, d]

    return rotary
