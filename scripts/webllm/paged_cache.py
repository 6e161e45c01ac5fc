"""
The paged key/value cache of TVM's runtime, with the kernels that these libraries need: attention over pages and over new tokens,
rotation, copies for forks, and merging. Without those for sliding windows, token trees and latent attention, which a browser would
compile at every load.
"""

import tvm
from tvm import relax as rx
from tvm.relax.frontend.nn.llm import _decode_kernels, _page_kernels, _prefill_kernels
from tvm.relax.frontend.nn.llm.kv_cache import AttnKind, PagedKVCache, RopeMode
from tvm.script import tirx as T
from tvm.target import Target

from rotary import rotate


def create_cache(config, sizes: list, page_size, dtype: str, target: Target) -> PagedKVCache:
    """`sizes`: sequences, tokens, tokens of a prefill, tokens of a page, and whether a window slides (it may not)."""
    builder = rx.BlockBuilder.current()
    heads, kv_heads, width, scaling = config.heads, config.key_value_heads, config.head_dim, {}

    def kernel(function, name):
        return builder.add_func(function, name)

    def attention(function, name):
        return rx.Tuple([tvm.ir.StringImm("tirx"), kernel(function, name)])

    absent = rx.Tuple([])
    arguments = [
        rx.ShapeExpr(sizes),
        rx.ShapeExpr([0, config.layers]),
        rx.prim_value(heads),
        rx.prim_value(kv_heads),
        rx.prim_value(width),
        rx.prim_value(width),
        rx.ShapeExpr([int(AttnKind.MHA)] * config.layers),
        rx.prim_value(False),  # no transfer between machines
        rx.prim_value(int(RopeMode.NORMAL)),
        rx.prim_value(1),  # RoPE's scale
        rx.prim_value(config.rope_theta),
        rx.op.null_value(),  # no extension factors
        rx.op.zeros((), dtype),
        kernel(_page_kernels._kv_cache_transpose_append(kv_heads, width, dtype), "append_pages"),
        rx.op.null_value(),  # latent attention
        attention(
            _prefill_kernels._attention_prefill_ragged(kv_heads, heads, width, width, dtype, scaling, target),
            "attend_new",
        ),
        attention(
            _prefill_kernels._attention_prefill(kv_heads, heads, width, dtype, False, scaling, target), "attend_pages"
        ),
        attention(
            _decode_kernels._attention_decode(kv_heads, heads, width, dtype, False, scaling, target),
            "attend_pages_for_one",
        ),
        absent,  # prefill and decode over a sliding window
        absent,
        absent,  # token trees
        absent,
        absent,  # latent attention
        rx.Tuple([kernel(merge_states(heads, width, dtype), "merge_states")]),
        kernel(rotate(config, dtype), "rotate"),
        kernel(_page_kernels._copy_single_page(kv_heads, page_size, width, dtype, target), "copy_page"),
        kernel(_page_kernels._kv_cache_debug_get_kv(config.layers, kv_heads, width, dtype), "read_pages"),
        kernel(_page_kernels._compact_kv_copy(kv_heads, width, dtype, target), "compact_pages"),
    ]
    created = rx.call_pure_packed("vm.builtin.paged_attention_kv_cache_create", *arguments, ty_args=rx.AnyType())
    return PagedKVCache(_expr=created, _name="paged_kv_cache")


def merge_states(heads: int, width: int, dtype: str):
    """
    Merges attention over two parts of a sequence, such as a shared prompt and its continuation, into the first:

        m = max(s, s')    v = (2^(s-m) v + 2^(s'-m) v') / (2^(s-m) + 2^(s'-m))    s = m + log2(2^(s-m) + 2^(s'-m))

    The wheel's kernel has a race: every thread of a head stores s while others may still have to read it, so that log-probabilities
    after a forked prompt are wrong now and then. Here every thread has read s before one of them stores it.
    """

    @T.prim_func(s_tir=True)
    def merge(v: T.handle, s: T.handle, v_other: T.handle, s_other: T.handle):
        T.func_attr({"tirx.is_scheduled": True})
        N = T.int32()
        V = T.match_buffer(v, (N, heads, width), dtype)
        S = T.match_buffer(s, (N, heads), "float32")
        V_other = T.match_buffer(v_other, (N, heads, width), dtype)
        S_other = T.match_buffer(s_other, (N, heads), "float32")
        for n in T.thread_binding(N, thread="blockIdx.x"):
            for h in T.thread_binding(heads, thread="blockIdx.y"):
                for d in T.thread_binding(width, thread="threadIdx.x"):
                    with T.sblock("merge"):
                        here = T.sblock_alloc_buffer((1,), "float32", scope="local")
                        there = T.sblock_alloc_buffer((1,), "float32", scope="local")
                        largest = T.sblock_alloc_buffer((1,), "float32", scope="local")
                        here[0] = S[n, h]
                        there[0] = S_other[n, h]
                        largest[0] = T.max(here[0], there[0])
                        here[0] = T.exp2(here[0] - largest[0])
                        there[0] = T.exp2(there[0] - largest[0])
                        T.tvm_storage_sync("shared")
                        V[n, h, d] = T.cast(
                            (T.cast(V[n, h, d], "float32") * here[0] + T.cast(V_other[n, h, d], "float32") * there[0])
                            / (here[0] + there[0]),
                            dtype,
                        )
                        if d == 0:
                            S[n, h] = T.log2(here[0] + there[0]) + largest[0]

    return merge
