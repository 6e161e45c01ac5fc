"""
The functions of WebLLM's own sampler. Our samplers draw tokens themselves, but WebLLM's public interface calls these for every token
(src/engines/webllm/sequential-sampler.ts), so they must exist and be right. They are simple rather than fast: sorting compares every
pair of tokens, O(V²) in parallel, because software adapters take minutes to compile the wheel's merge sort.
"""

from tvm import relax as rx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import Tensor, op
from tvm.script import tirx as T

THREADS = 128


class Sampling(nn.Module):
    def softmax_with_temperature(self, logits: Tensor, temperature: Tensor) -> Tensor:
        """[B, 1, V] and [B] to [B, 1, V]."""
        return op.softmax(logits / op.reshape(temperature, (temperature.shape[0], 1, 1)), axis=-1)

    def argsort_probs(self, probs: Tensor):
        """[B, V] to the sorted probabilities, largest first, and the tokens of each; equal ones in the order of tokens."""
        shape = probs.shape
        return op.tensor_ir_op(
            argsort,
            "argsort",
            args=[probs],
            out=[Tensor.placeholder(shape, "float32"), Tensor.placeholder(shape, "int32")],
        )

    def sample_with_top_p(
        self, sorted_probs: Tensor, sorted_indices: Tensor, uniform_samples: Tensor, sample_indices: Tensor, top_p: Tensor
    ) -> Tensor:
        """One token for each of uniform_samples [N], from the row of probabilities that sample_indices [N] names."""
        return op.tensor_ir_op(
            sample_top_p,
            "sample_top_p",
            args=[sorted_probs, sorted_indices, uniform_samples, sample_indices, top_p],
            out=Tensor.placeholder((uniform_samples.shape[0],), "int32"),
        )

    def apply_logit_bias_inplace(self, logits: Tensor, rows: Tensor, tokens: Tensor, bias: Tensor) -> Tensor:
        return op.tensor_ir_inplace_op(logit_bias, "logit_bias", [logits, rows, tokens, bias], 0, logits)

    def apply_penalty_inplace(
        self, logits: Tensor, sequences: Tensor, rows: Tensor, tokens: Tensor, counts: Tensor, penalties: Tensor
    ) -> Tensor:
        """penalties [K, 3]: presence, frequency and repetition of each sequence."""
        return op.tensor_ir_inplace_op(
            penalty, "penalty", [logits, sequences, rows, tokens, counts, penalties], 0, logits
        )

    def apply_bitmask_inplace(self, logits: Tensor, sequences: Tensor, bitmask: Tensor) -> Tensor:
        """bitmask [B, ceil(V / 32)]: one bit for each token, the lowest first."""
        return op.tensor_ir_inplace_op(bit_mask, "bit_mask", [logits, sequences, bitmask], 0, logits)

    def specification(self) -> dict:
        plain = {"param_mode": "none", "effect_mode": "none"}

        def floats(*shape):
            return nn.spec.Tensor(list(shape), "float32")

        def ints(*shape):
            return nn.spec.Tensor(list(shape), "int32")

        row = ("batch_size", "vocab_size")
        return {
            "softmax_with_temperature": {
                "logits": floats("batch_size", 1, "vocab_size"),
                "temperature": floats("batch_size"),
                "$": plain,
            },
            "argsort_probs": {"probs": floats(*row), "$": plain},
            "sample_with_top_p": {
                "sorted_probs": floats(*row),
                "sorted_indices": ints(*row),
                "uniform_samples": floats("samples"),
                "sample_indices": ints("samples"),
                "top_p": floats("batch_size"),
                "$": plain,
            },
            "apply_logit_bias_inplace": {
                "logits": floats(*row),
                "rows": ints("tokens"),
                "tokens": ints("tokens"),
                "bias": floats("tokens"),
                "$": plain,
            },
            "apply_penalty_inplace": {
                "logits": floats(*row),
                "sequences": ints("sequences"),
                "rows": ints("tokens"),
                "tokens": ints("tokens"),
                "counts": ints("tokens"),
                "penalties": floats("sequences", 3),
                "$": plain,
            },
            "apply_bitmask_inplace": {
                "logits": floats(*row),
                "sequences": ints("sequences"),
                "bitmask": ints("batch_size", "words"),
                "$": plain,
            },
        }


@T.prim_func(private=True, s_tir=True)
def argsort(probs: T.handle, sorted_probs: T.handle, sorted_tokens: T.handle):
    T.func_attr({"tirx.is_scheduled": True})
    B, V = T.int32(), T.int32()
    P = T.match_buffer(probs, (B, V), "float32")
    S = T.match_buffer(sorted_probs, (B, V), "float32")
    I = T.match_buffer(sorted_tokens, (B, V), "int32")
    for block in T.thread_binding(B * T.ceildiv(V, THREADS), thread="blockIdx.x"):
        for thread in T.thread_binding(THREADS, thread="threadIdx.x"):
            with T.sblock("rank"):
                rank = T.sblock_alloc_buffer((1,), "int32", scope="local")
                row: T.let[T.int32] = block // T.ceildiv(V, THREADS)
                token: T.let[T.int32] = block % T.ceildiv(V, THREADS) * THREADS + thread
                if token < V:
                    rank[0] = 0
                    for other in T.serial(V):
                        if P[row, other] > P[row, token] or (P[row, other] == P[row, token] and other < token):
                            rank[0] = rank[0] + 1
                    S[row, rank[0]] = P[row, token]
                    I[row, rank[0]] = token


@T.prim_func(private=True, s_tir=True)
def sample_top_p(
    sorted_probs: T.handle, sorted_tokens: T.handle, uniform: T.handle, rows: T.handle, top_p: T.handle, drawn: T.handle
):
    """The first token at which the sum exceeds u times the mass of the tokens that top-p keeps."""
    T.func_attr({"tirx.is_scheduled": True})
    B, V, N = T.int32(), T.int32(), T.int32()
    P = T.match_buffer(sorted_probs, (B, V), "float32")
    I = T.match_buffer(sorted_tokens, (B, V), "int32")
    U = T.match_buffer(uniform, (N,), "float32")
    R = T.match_buffer(rows, (N,), "int32")
    K = T.match_buffer(top_p, (B,), "float32")
    D = T.match_buffer(drawn, (N,), "int32")
    for block in T.thread_binding(N, thread="blockIdx.x"):
        for _ in T.thread_binding(1, thread="threadIdx.x"):
            with T.sblock("draw"):
                kept = T.sblock_alloc_buffer((1,), "float32", scope="local")
                total = T.sblock_alloc_buffer((1,), "float32", scope="local")
                at = T.sblock_alloc_buffer((1,), "int32", scope="local")
                kept[0] = T.float32(0)
                for i in T.serial(V):
                    if kept[0] < K[R[block]]:
                        kept[0] = kept[0] + P[R[block], i]
                total[0] = T.float32(0)
                at[0] = 0
                for i in T.serial(V):
                    if total[0] <= U[block] * kept[0] and P[R[block], i] > T.float32(0):
                        total[0] = total[0] + P[R[block], i]
                        at[0] = i
                D[block] = I[R[block], at[0]]


@T.prim_func(private=True, s_tir=True)
def logit_bias(logits: T.handle, rows: T.handle, tokens: T.handle, bias: T.handle):
    T.func_attr({"tirx.is_scheduled": True})
    B, V, N = T.int32(), T.int32(), T.int32()
    L = T.match_buffer(logits, (B, V), "float32")
    R = T.match_buffer(rows, (N,), "int32")
    I = T.match_buffer(tokens, (N,), "int32")
    A = T.match_buffer(bias, (N,), "float32")
    for block in T.thread_binding(T.ceildiv(N, THREADS), thread="blockIdx.x"):
        for thread in T.thread_binding(THREADS, thread="threadIdx.x"):
            with T.sblock("add"):
                i: T.let[T.int32] = block * THREADS + thread
                if i < N:
                    L[R[i], I[i]] = L[R[i], I[i]] + A[i]


@T.prim_func(private=True, s_tir=True)
def penalty(
    logits: T.handle, sequences: T.handle, rows: T.handle, tokens: T.handle, counts: T.handle, penalties: T.handle
):
    """logit − presence − frequency · count, then divided by the repetition penalty, or multiplied with it below zero."""
    T.func_attr({"tirx.is_scheduled": True})
    B, V, K, N = T.int32(), T.int32(), T.int32(), T.int32()
    L = T.match_buffer(logits, (B, V), "float32")
    S = T.match_buffer(sequences, (K,), "int32")
    R = T.match_buffer(rows, (N,), "int32")
    I = T.match_buffer(tokens, (N,), "int32")
    C = T.match_buffer(counts, (N,), "int32")
    W = T.match_buffer(penalties, (K, 3), "float32")
    for block in T.thread_binding(T.ceildiv(N, THREADS), thread="blockIdx.x"):
        for thread in T.thread_binding(THREADS, thread="threadIdx.x"):
            with T.sblock("penalise"):
                i: T.let[T.int32] = block * THREADS + thread
                if i < N:
                    row: T.let[T.int32] = S[R[i]]
                    L[row, I[i]] = L[row, I[i]] - (W[R[i], 0] + T.cast(C[i], "float32") * W[R[i], 1])
                    L[row, I[i]] = T.if_then_else(
                        L[row, I[i]] > T.float32(0), L[row, I[i]] / W[R[i], 2], L[row, I[i]] * W[R[i], 2]
                    )


@T.prim_func(private=True, s_tir=True)
def bit_mask(logits: T.handle, sequences: T.handle, bitmask: T.handle):
    T.func_attr({"tirx.is_scheduled": True})
    B, V, K, W = T.int32(), T.int32(), T.int32(), T.int32()
    L = T.match_buffer(logits, (B, V), "float32")
    S = T.match_buffer(sequences, (K,), "int32")
    M = T.match_buffer(bitmask, (B, W), "int32")
    for block in T.thread_binding(K * T.ceildiv(V, THREADS), thread="blockIdx.x"):
        for thread in T.thread_binding(THREADS, thread="threadIdx.x"):
            with T.sblock("mask"):
                row: T.let[T.int32] = S[block // T.ceildiv(V, THREADS)]
                token: T.let[T.int32] = block % T.ceildiv(V, THREADS) * THREADS + thread
                if token < V:
                    L[row, token] = T.if_then_else(
                        (M[row, token // 32] >> (token % 32)) & 1 == 1, L[row, token], T.min_value("float32")
                    )
