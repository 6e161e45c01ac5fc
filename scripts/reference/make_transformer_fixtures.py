"""Tiny models of every architecture that src/language-model runs, with the results of Hugging Face's own code.

Writes test/language-model/fixtures/<model>/, each a model folder with random weights as transformers saves it (config.json,
model.safetensors or its shards and their index), and beside it

    reference.safetensors   tokens[T], targets[T], logits[T, V], and `gradient.<parameter>` of
                            mean_t -log softmax(logits_t)[targets_t]; all float32, computed in float32 from the saved weights
    adapter/                a LoRA adapter as PEFT saves it, on all seven projections
    reference-lora.safetensors   logits[T, V] with the adapter, and its gradients `gradient.<adapter parameter>`

Only reference numbers need Python. To run it again:

    python3 -m venv /tmp/reference
    /tmp/reference/bin/pip install numpy torch==2.6.0 transformers==4.57.1 peft==0.17.1 safetensors
    /tmp/reference/bin/python scripts/reference/make_transformer_fixtures.py
"""

import json
import pathlib
import shutil

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import save_file
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "test" / "language-model" / "fixtures"
VOCABULARY = 200
# Long enough that the stretched frequencies of Llama 3.2 differ from the plain ones by more than rounding.
TOKENS = 40

SHARED = dict(
    vocab_size=VOCABULARY,
    num_hidden_layers=2,
    bos_token_id=0,
    eos_token_id=1,
    # Larger than a trained model's, so that attention is far from uniform and mistakes in it show.
    initializer_range=0.25,
    attention_dropout=0.0,
)

MODELS = {
    # Grouped queries, output layer tied to the embedding, rotary frequencies as in Llama 3.2, stored as bfloat16.
    "llama": dict(
        make=lambda: LlamaForCausalLM(
            LlamaConfig(
                **SHARED,
                hidden_size=32,
                num_attention_heads=4,
                num_key_value_heads=2,
                intermediate_size=48,
                max_position_embeddings=256,
                rope_theta=500000.0,
                rope_scaling=dict(
                    rope_type="llama3",
                    factor=32.0,
                    low_freq_factor=1.0,
                    high_freq_factor=4.0,
                    original_max_position_embeddings=64,
                ),
                rms_norm_eps=1e-5,
                tie_word_embeddings=True,
            )
        ),
        dtype=torch.bfloat16,
        shard="5GB",
        gradients=[
            "model.embed_tokens.weight",
            "model.layers.0.self_attn.q_proj.weight",
            "model.layers.1.self_attn.k_proj.weight",
            "model.layers.1.mlp.down_proj.weight",
            "model.norm.weight",
        ],
    ),
    # Biases on queries, keys and values, which its config.json does not mention, stored as float16.
    "qwen2": dict(
        make=lambda: Qwen2ForCausalLM(
            Qwen2Config(
                **SHARED,
                hidden_size=32,
                num_attention_heads=4,
                num_key_value_heads=2,
                intermediate_size=48,
                max_position_embeddings=256,
                rope_theta=1000000.0,
                rms_norm_eps=1e-6,
                tie_word_embeddings=True,
                use_sliding_window=False,
            )
        ),
        dtype=torch.float16,
        shard="5GB",
        gradients=[
            "model.layers.0.self_attn.q_proj.bias",
            "model.layers.0.self_attn.k_proj.bias",
            "model.layers.1.self_attn.v_proj.bias",
            "model.layers.0.self_attn.v_proj.weight",
            "model.layers.0.mlp.gate_proj.weight",
            "model.layers.1.post_attention_layernorm.weight",
        ],
    ),
    # A norm on every query and key head, heads wider than hidden / heads, its own output layer, float32 in shards.
    "qwen3": dict(
        make=lambda: Qwen3ForCausalLM(
            Qwen3Config(
                **SHARED,
                hidden_size=32,
                num_attention_heads=4,
                num_key_value_heads=2,
                head_dim=16,
                intermediate_size=48,
                max_position_embeddings=256,
                rope_theta=1000000.0,
                rms_norm_eps=1e-6,
                tie_word_embeddings=False,
                use_sliding_window=False,
            )
        ),
        dtype=torch.float32,
        shard="60KB",
        gradients=[
            "model.layers.0.self_attn.q_norm.weight",
            "model.layers.1.self_attn.k_norm.weight",
            "model.layers.0.self_attn.o_proj.weight",
            "model.layers.1.mlp.up_proj.weight",
            "lm_head.weight",
        ],
    ),
}

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def shake(model: torch.nn.Module) -> None:
    """Moves norms and biases away from 1 and 0, so that a test notices a missing one."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith(".bias"):
                parameter.add_(torch.rand_like(parameter) - 0.5)


def mean_loss(model: torch.nn.Module, tokens: torch.Tensor, targets: torch.Tensor):
    logits = model(input_ids=tokens[None]).logits[0]
    return logits, torch.nn.functional.cross_entropy(logits, targets)


def write(name: str, make, dtype, shard, gradients) -> None:
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(7)
    model = make()
    shake(model)
    model.to(dtype).save_pretrained(folder, max_shard_size=shard)
    (folder / "generation_config.json").unlink(missing_ok=True)

    # Loads the saved model, so that the reference matches the files.
    model = AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="eager")
    tokens = torch.randint(2, VOCABULARY, (TOKENS,))
    targets = torch.randint(2, VOCABULARY, (TOKENS,))
    logits, loss = mean_loss(model, tokens, targets)
    loss.backward()
    parameters = dict(model.named_parameters())
    save_file(
        dict(
            tokens=tokens.float(),
            targets=targets.float(),
            logits=logits.detach().contiguous(),
            **{f"gradient.{parameter}": parameters[parameter].grad.contiguous() for parameter in gradients},
        ),
        folder / "reference.safetensors",
        metadata=dict(loss=repr(loss.item())),
    )

    adapted = get_peft_model(
        model, LoraConfig(r=4, lora_alpha=6, target_modules=PROJECTIONS, lora_dropout=0.0, task_type="CAUSAL_LM")
    )
    with torch.no_grad():
        for parameter_name, parameter in adapted.named_parameters():
            # PEFT starts B at 0, where A has no gradient.
            if "lora_B" in parameter_name:
                parameter.copy_(0.2 * torch.randn_like(parameter))
    adapted.save_pretrained(folder / "adapter")
    (folder / "adapter" / "README.md").unlink(missing_ok=True)
    config = folder / "adapter" / "adapter_config.json"
    described = json.loads(config.read_text())
    # Without this machine's path, and in a fixed order.
    described["base_model_name_or_path"] = name
    described["target_modules"] = sorted(described["target_modules"])
    config.write_text(json.dumps(described, indent=2, sort_keys=True) + "\n")
    logits, loss = mean_loss(adapted, tokens, targets)
    loss.backward()
    state = {key: None for key in get_peft_model_state_dict(adapted)}
    trained = {
        key.replace(".default", ""): parameter.grad.contiguous()
        for key, parameter in adapted.named_parameters()
        if parameter.requires_grad
    }
    assert set(trained) == set(state), (set(trained) ^ set(state))
    save_file(
        dict(logits=logits.detach().contiguous(), **{f"gradient.{key}": value for key, value in trained.items()}),
        folder / "reference-lora.safetensors",
        metadata=dict(loss=repr(loss.item())),
    )


if __name__ == "__main__":
    for name, settings in MODELS.items():
        write(name, **settings)
        files = [path for path in (FIXTURES / name).rglob("*") if path.is_file()]
        print(f"{name}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e3:.0f} kB")
