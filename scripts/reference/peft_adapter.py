"""
A LoRA adapter as PEFT itself saves it, with the weights that PEFT merges, to hold src/weight-formats/peft-adapter.ts to.

    python scripts/reference/peft_adapter.py test/weight-formats/fixtures/peft

Needs torch, transformers, peft and safetensors.
Also checks an adapter that we wrote, if its folder is given as the second argument: PEFT loads it and merges the same.
"""

import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

SHAPE = dict(
    hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
    vocab_size=32, max_position_embeddings=64, tie_word_embeddings=True,
)  # fmt: skip
TARGETS = ["q_proj", "v_proj", "down_proj"]


def base_model():
    torch.manual_seed(1)
    return LlamaForCausalLM(LlamaConfig(**SHAPE)).float()


def merged_weights(model):
    state = model.merge_and_unload().state_dict()
    return {name: w.contiguous() for name, w in state.items() if name.split(".")[-2] in TARGETS}


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    base = base_model()
    changed = {n: w.clone() for n, w in base.state_dict().items() if n.split(".")[-2] in TARGETS}
    save_file(changed, folder / "base.safetensors")
    model = get_peft_model(
        base, LoraConfig(r=4, lora_alpha=6, target_modules=TARGETS, task_type="CAUSAL_LM", init_lora_weights=False)
    )
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    save_file(merged_weights(model), folder / "merged.safetensors")


def check(folder, ours):
    theirs = load_file(folder / "merged.safetensors")
    mine = merged_weights(PeftModel.from_pretrained(base_model(), ours))
    worst = max((mine[n] - w).abs().max().item() for n, w in theirs.items())
    print(json.dumps({"tensors": len(theirs), "worst": worst}))
    assert mine.keys() == theirs.keys() and worst == 0


out = Path(sys.argv[1])
write(out)
if len(sys.argv) > 2:
    check(out, sys.argv[2])
