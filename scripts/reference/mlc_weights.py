"""
A second implementation of MLC's weight format, in numpy, to test src/weight-formats against.

    python scripts/reference/mlc_weights.py test/weight-formats/fixtures

Writes tiny random models (bfloat16 values, like published checkpoints, and one of full floats) as
Hugging Face folders, and for each quantisation the tensor cache with a hash of every tensor and shard. Needs numpy.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np

SHARD_BYTES = 24 * 1024
QUANTIZATIONS = ["q0f16", "q0f32", "q4f16_1", "q4f32_1"]


def config(model_type, **more):
    return {
        "model_type": model_type,
        "hidden_size": 64,
        "intermediate_size": 80,  # two and a half groups, so that the last one is padded
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": 96,
        "max_position_embeddings": 512,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "eos_token_id": 2,
        **more,
    }


MODELS = {
    "llama": config("llama", tie_word_embeddings=False),
    "qwen2": config("qwen2"),
    "qwen3": config("qwen3", head_dim=24),
}


def shapes(c):
    """Hugging Face's names and shapes."""
    d, hd = c["hidden_size"], c["head_dim"]
    q, kv, ff = c["num_attention_heads"] * hd, c["num_key_value_heads"] * hd, c["intermediate_size"]
    out = {"model.embed_tokens.weight": (c["vocab_size"], d)}
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        out[p + "input_layernorm.weight"] = (d,)
        for name, width in (("q", q), ("k", kv), ("v", kv)):
            out[p + f"self_attn.{name}_proj.weight"] = (width, d)
            if c["model_type"] == "qwen2":
                out[p + f"self_attn.{name}_proj.bias"] = (width,)
        if c["model_type"] == "qwen3":
            out[p + "self_attn.q_norm.weight"] = (hd,)
            out[p + "self_attn.k_norm.weight"] = (hd,)
        out[p + "self_attn.o_proj.weight"] = (d, q)
        out[p + "post_attention_layernorm.weight"] = (d,)
        out[p + "mlp.gate_proj.weight"] = (ff, d)
        out[p + "mlp.up_proj.weight"] = (ff, d)
        out[p + "mlp.down_proj.weight"] = (d, ff)
    out["model.norm.weight"] = (d,)
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = (c["vocab_size"], d)
    return out


def random_weights(c, seed):
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in shapes(c).items():
        w = (rng.standard_normal(shape) * 0.05).astype(np.float32)
        if c["model_type"] != "llama":
            w = (w.view(np.uint32) & 0xFFFF0000).view(np.float32)  # bfloat16 values
        if name.endswith("up_proj.weight"):
            w[3, :32] = 0  # a group without a scale
            w[4, :32] *= np.float32(1e-8)  # and one whose scale float16 cannot hold
            w[5, :32] = np.linspace(-7, 7, 32).round(1)  # ties
        weights[name] = w
    return weights


def safetensors(weights):
    header, blob = {"__metadata__": {"format": "pt"}}, b""
    for name, w in weights.items():
        data = w.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(w.shape), "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + blob


def fused(c, weights):
    """MLC's names, in the order in which their first part comes."""
    attention = "qkv_proj" if c["model_type"] == "llama" else "c_attn"
    out = {}
    for name, w in weights.items():
        if ".k_proj." in name or ".v_proj." in name or ".up_proj." in name:
            continue
        if ".q_proj." in name:
            parts = [weights[name.replace("q_proj", p)] for p in ("q_proj", "k_proj", "v_proj")]
            out[name.replace("q_proj", attention)] = np.concatenate(parts, axis=0)
        elif ".gate_proj." in name:
            parts = [w, weights[name.replace("gate_proj", "up_proj")]]
            out[name.replace("gate_proj", "gate_up_proj")] = np.concatenate(parts, axis=0)
        else:
            out[name] = w
    return out


def quantize(w, dtype):
    """Every operation in `dtype`; halves away from zero."""
    rows, columns = w.shape
    groups = -(-columns // 32)
    w = w.astype(dtype)
    padded = np.zeros((rows, groups * 32), dtype)
    padded[:, :columns] = w
    grouped = padded.reshape(rows, groups, 32)
    scale = (np.abs(grouped).max(axis=2) / dtype(7)).astype(dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = (grouped / scale[:, :, None]).astype(dtype) + dtype(7)
    scaled = np.where(scale[:, :, None] == 0, dtype(7), scaled)
    codes = np.clip(np.floor(scaled.astype(np.float64) + 0.5), 0, 14).astype(np.uint32).reshape(rows, groups * 32)
    codes[:, columns:] = 0
    words = np.zeros((rows, groups * 4), np.uint32)
    for k in range(8):
        words |= codes[:, k::8] << np.uint32(4 * k)
    return words, scale


def encoded(c, weights, quantization):
    dtype = np.float16 if "f16" in quantization else np.float32
    out = {}
    for name, w in fused(c, weights).items():
        if quantization.startswith("q0") or w.ndim == 1:
            out[name] = w.astype(dtype)
        else:
            stem = name.removesuffix(".weight")
            out[stem + ".q_weight"], out[stem + ".q_scale"] = quantize(w, dtype)
    return out


def tensor_cache(tensors):
    shards, pending, records = [], b"", []

    def commit(data, of):
        shards.append(
            {
                "dataPath": f"params_shard_{len(shards)}.bin",
                "format": "raw-shard",
                "nbytes": len(data),
                "records": of,
                "md5sum": hashlib.md5(data).hexdigest(),
            }
        )

    for name, t in tensors.items():
        data = t.tobytes()
        record = {"name": name, "shape": list(t.shape), "dtype": str(t.dtype), "format": "raw", "nbytes": len(data)}
        record["byteOffset"] = 0
        if len(pending) + len(data) >= SHARD_BYTES:
            if 2 * len(data) >= SHARD_BYTES:
                commit(data, [record])
                continue
            if pending:
                commit(pending, records)
            pending, records = b"", []
        record["byteOffset"] = len(pending)
        records.append(record)
        pending += data
    if pending:
        commit(pending, records)
    return shards


def main(folder):
    folder = Path(folder)
    for index, (name, c) in enumerate(MODELS.items()):
        weights = random_weights(c, index)
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "model.safetensors").write_bytes(safetensors(weights))
        expected = {"shardBytes": SHARD_BYTES, "caches": {}}
        for quantization in QUANTIZATIONS:
            tensors = encoded(c, weights, quantization)
            expected["caches"][quantization] = {
                "shards": tensor_cache(tensors),
                "sha256": {n: hashlib.sha256(t.tobytes()).hexdigest() for n, t in tensors.items()},
            }
        (folder / name / "config.json").write_text(json.dumps(c, indent=2) + "\n")
        (folder / name / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


main(sys.argv[1])
