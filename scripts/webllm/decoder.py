"""The decoders that this project trains, in TVM Relax: Llama, Qwen2 and Qwen3.

    x = E[t]
    x = x + O · attention(RoPE(norm(Q h)), RoPE(norm(K h)), V h)        h = RMSNorm(x); norm of Qwen3 only
    x = x + D · (silu(G h') · U h')                                      h' = RMSNorm(x)
    logits = head · RMSNorm(x)                                           head = E if tied

Parameter names and fused matrices are those of src/weight-formats/mlc-parameters.ts: [q; k; v] and [gate; up], one below the other.
The vocabulary, the batch and all lengths are symbolic, so one library serves every model of a shape.
"""

import dataclasses

from tvm import te, tirx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import Tensor, op
from tvm.relax.frontend.nn.llm.kv_cache import PagedKVCache
from tvm.target import Target

from paged_cache import create_cache


@dataclasses.dataclass(frozen=True)
class DecoderConfig:
    """What a library has compiled in."""

    model_type: str
    hidden_size: int
    layers: int
    heads: int
    key_value_heads: int
    head_dim: int
    intermediate_size: int
    norm_epsilon: float
    rope_theta: float
    rope_scaling: dict
    tied: bool
    context: int

    @staticmethod
    def from_hugging_face(config: dict) -> "DecoderConfig":
        """Reads config.json. Raises ValueError for a model that is not described here."""
        model_type = config.get("model_type", "llama")
        if model_type not in ("llama", "qwen2", "qwen3"):
            raise ValueError(f'the model is of type "{model_type}"; only llama, qwen2 and qwen3 can be compiled')
        if config.get("attention_bias", False) or config.get("mlp_bias", False):
            raise ValueError("the model has biases (attention_bias or mlp_bias), which are not described here")
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        kind = rope.get("rope_type", rope.get("type", "default"))
        if kind not in ("default", "llama3"):
            raise ValueError(f'the model scales its rotary embedding as "{kind}"; only llama3 can be compiled')
        heads = config["num_attention_heads"]
        head_dim = config.get("head_dim") or (128 if model_type == "qwen3" else config["hidden_size"] // heads)
        if head_dim % 4 != 0:
            raise ValueError(f"the model has heads of {head_dim} features; TVM's attention needs a multiple of 4")
        return DecoderConfig(
            model_type=model_type,
            hidden_size=config["hidden_size"],
            layers=config["num_hidden_layers"],
            heads=heads,
            key_value_heads=config.get("num_key_value_heads") or heads,
            head_dim=head_dim,
            intermediate_size=config["intermediate_size"],
            norm_epsilon=config.get("rms_norm_eps", 1e-6),
            rope_theta=float(rope.get("rope_theta", config.get("rope_theta", 10_000))),
            rope_scaling={**rope, "rope_type": "llama3"} if kind == "llama3" else {},
            tied=config.get("tie_word_embeddings", False),
            context=config.get("max_position_embeddings", 2048),
        )


class Linear(nn.Linear):
    """Sums in float32 whatever the weights are."""

    def forward(self, x: Tensor) -> Tensor:
        wide = op.matmul(x, op.permute_dims(self.weight), out_dtype="float32")
        if self.bias is not None:
            wide = wide + op.astype(self.bias, "float32")
        return wide if x.dtype == "float32" else op.astype(wide, x.dtype)


class Attention(nn.Module):
    def __init__(self, config: DecoderConfig):
        self.heads, self.kv_heads, self.head_dim = config.heads, config.key_value_heads, config.head_dim
        width = (self.heads + 2 * self.kv_heads) * self.head_dim
        projection = Linear(config.hidden_size, width, bias=config.model_type == "qwen2")
        # MLC's names of [q; k; v].
        if config.model_type == "llama":
            self.qkv_proj = projection
        else:
            self.c_attn = projection
        self.o_proj = Linear(self.heads * self.head_dim, config.hidden_size, bias=False)
        self.has_norms = config.model_type == "qwen3"
        if self.has_norms:
            self.q_norm = nn.RMSNorm(self.head_dim, -1, config.norm_epsilon, bias=False)
            self.k_norm = nn.RMSNorm(self.head_dim, -1, config.norm_epsilon, bias=False)

    def forward(self, hidden: Tensor, cache: PagedKVCache, layer: int) -> Tensor:
        batch, length, _ = hidden.shape
        projection = self.c_attn if hasattr(self, "c_attn") else self.qkv_proj
        qkv = op.reshape(projection(hidden), (batch, length, self.heads + 2 * self.kv_heads, self.head_dim))
        if self.has_norms:
            q, k, v = op.split(qkv, [self.heads, self.heads + self.kv_heads], axis=2)
            qkv = op.concat([self.q_norm(q), self.k_norm(k), v], dim=2)
        mixed = cache.attention_with_fused_qkv(layer, qkv, self.heads, sm_scale=self.head_dim**-0.5)
        return self.o_proj(op.reshape(mixed, (batch, length, self.heads * self.head_dim)))


class FeedForward(nn.Module):
    def __init__(self, config: DecoderConfig):
        self.gate_up_proj = Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down_proj = Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        gate, up = op.split(self.gate_up_proj(hidden), 2, axis=-1)
        return self.down_proj(op.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self, config: DecoderConfig):
        self.self_attn = Attention(config)
        self.mlp = FeedForward(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, -1, config.norm_epsilon, bias=False)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, -1, config.norm_epsilon, bias=False)

    def forward(self, hidden: Tensor, cache: PagedKVCache, layer: int) -> Tensor:
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), cache, layer)
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


class Layers(nn.Module):
    def __init__(self, config: DecoderConfig):
        self.embed_tokens = nn.Embedding("vocab_size", config.hidden_size)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.layers)])
        self.norm = nn.RMSNorm(config.hidden_size, -1, config.norm_epsilon, bias=False)

    def forward(self, hidden: Tensor, cache: PagedKVCache) -> Tensor:
        for index, layer in enumerate(self.layers):
            hidden = layer(hidden, cache, index)
        return self.norm(hidden)


class Decoder(nn.Module):
    """The functions that WebLLM calls, by the names by which it looks for them."""

    def __init__(self, config: DecoderConfig, dtype: str, target: Target):
        self.config = config
        self.target = target
        self.model = Layers(config)
        if not config.tied:
            self.lm_head = nn.Linear(config.hidden_size, "vocab_size", bias=False, out_dtype="float32")
        self.dtype = dtype
        self.to(dtype)

    def to(self, dtype: str | None = None) -> None:
        super().to(dtype=dtype)
        if dtype is not None:
            self.dtype = dtype

    def _logits(self, hidden: Tensor) -> Tensor:
        # In float32 whatever the weights are: rounded to float16, logits of 8 to 16 would be off by up to 0.004.
        if self.config.tied:
            return op.matmul(hidden, op.permute_dims(self.model.embed_tokens.weight), out_dtype="float32")
        return self.lm_head(hidden)

    def embed(self, input_ids: Tensor) -> Tensor:
        return self.model.embed_tokens(input_ids)

    def prefill(self, input_embed: Tensor, paged_kv_cache: PagedKVCache):
        """Logits after the last token of one sequence."""
        hidden = self.model(input_embed, paged_kv_cache)
        return self._logits(op.tensor_expr_op(last_position, "last_position", [hidden])), paged_kv_cache

    def decode(self, input_embed: Tensor, paged_kv_cache: PagedKVCache):
        return self._logits(self.model(input_embed, paged_kv_cache)), paged_kv_cache

    def batch_prefill(self, input_embeds: Tensor, logit_positions: Tensor, paged_kv_cache: PagedKVCache):
        """Logits after the tokens at `logit_positions` of the concatenated sequences."""
        hidden = op.take(self.model(input_embeds, paged_kv_cache), logit_positions, axis=1)
        return self._logits(hidden), paged_kv_cache

    def batch_decode(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache):
        return self.decode(input_embeds, paged_kv_cache)

    def batch_verify(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache):
        return self.decode(input_embeds, paged_kv_cache)

    def create_tir_paged_kv_cache(
        self,
        max_batch_size: tirx.Var,
        max_total_seq_len: tirx.Var,
        prefill_chunk_size: tirx.Var,
        page_size: tirx.Var,
        support_sliding_window: tirx.Var,
    ) -> PagedKVCache:
        sizes = [max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window]
        return create_cache(self.config, sizes, page_size, self.dtype, self.target)

    def specification(self) -> dict:
        """Arguments of the functions; the model's parameters follow as one tuple."""
        packed = {"param_mode": "packed", "effect_mode": "none"}
        hidden = self.config.hidden_size
        cache = nn.spec.Object(object_type=PagedKVCache)

        def tensor(*shape):
            return nn.spec.Tensor(list(shape), self.dtype)

        sequence = {"input_embed": tensor(1, "seq_len", hidden), "paged_kv_cache": cache, "$": packed}
        sequences = {"input_embeds": tensor(1, "seq_len", hidden), "paged_kv_cache": cache, "$": packed}
        return {
            "embed": {"input_ids": nn.spec.Tensor(["seq_len"], "int32"), "$": packed},
            "prefill": sequence,
            "decode": {**sequence, "input_embed": tensor(1, 1, hidden)},
            "batch_prefill": {
                "input_embeds": tensor(1, "seq_len", hidden),
                "logit_positions": nn.spec.Tensor(["batch_size"], "int32"),
                "paged_kv_cache": cache,
                "$": packed,
            },
            "batch_decode": {**sequences, "input_embeds": tensor("batch_size", 1, hidden)},
            "batch_verify": sequences,
            "create_tir_paged_kv_cache": {
                "max_batch_size": int,
                "max_total_seq_len": int,
                "prefill_chunk_size": int,
                "page_size": int,
                "support_sliding_window": int,
                "$": {"param_mode": "none", "effect_mode": "none"},
            },
        }


def last_position(x):
    batch, length, width = x.shape
    return te.compute((batch, 1, width), lambda i, _, k: x[i, length - 1, k], name="last_position")
