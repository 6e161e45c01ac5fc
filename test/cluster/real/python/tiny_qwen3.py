"""A Qwen3 that every machine can run, with a tokenizer and a chat template: tiny_qwen3.py FOLDER LESSONS SECONDS

Its random weights are trained for a while on the form of the answers: LESSONS has lines of {"prompt": …, "response": …}, and the loss
is the cross-entropy of the responses. The tokenizer is trained on the lessons, so that long prompts have only some hundred tokens.
Prints one line of JSON with the loss before and after.
"""

import json
import random
import sys
from pathlib import Path

import torch
from tiny import SPECIAL, bpe, start, teach
from tokenizers import AddedToken
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

# Most prompts are cut to their ends, which ask for the form of the answer. Some are kept whole, as in use.
CUTS = ((16, 48), (16, 96), (8, 192), (4, 8192))
LEARNING_RATE = 6e-3
STEPS = 240

folder, lessons_file, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
lessons = [json.loads(line) for line in lessons_file.read_text(encoding="utf8").splitlines()]
start(0)


def plain_texts():
    for lesson in lessons:
        text = lesson["prompt"] + lesson["response"]
        for token in SPECIAL:
            text = text.replace(token, "\0")
        yield from text.split("\0")


tokenizer = bpe(plain_texts())
tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
words = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer,
    eos_token="<|im_end|>",
    pad_token="<|endoftext|>",
    chat_template=(Path(__file__).parent / "chat_template.jinja").read_text(encoding="utf8"),
)
words.save_pretrained(folder)

ends = {
    "eos_token_id": words.convert_tokens_to_ids("<|im_end|>"),
    "pad_token_id": words.convert_tokens_to_ids("<|endoftext|>"),
}
model = Qwen3ForCausalLM(
    Qwen3Config(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=None,
        **ends,
    )
).float()

examples = [(tokenizer.encode(one["prompt"]).ids, tokenizer.encode(one["response"]).ids) for one in lessons]


def loss_of(batch):
    length = max(len(prompt) + len(response) for prompt, response in batch)
    rows = torch.full((len(batch), length), ends["pad_token_id"])
    learned = torch.zeros((len(batch), length), dtype=torch.bool)
    for row, (prompt, response) in enumerate(batch):
        rows[row, : len(prompt) + len(response)] = torch.tensor(prompt + response)
        learned[row, len(prompt) : len(prompt) + len(response)] = True
    # Logits of response tokens alone: the token at t is said from the state at t - 1.
    states = model.model(input_ids=rows).last_hidden_state[:, :-1][learned[:, 1:]]
    return torch.nn.functional.cross_entropy(model.lm_head(states), rows[learned])


def loss_at(step):
    size, cut = CUTS[step % len(CUTS)]
    return loss_of([(prompt[-cut:], response) for prompt, response in random.sample(examples, size)])


told = teach(model, loss_at, steps=STEPS, seconds=seconds, learning_rate=LEARNING_RATE)
model.generation_config = GenerationConfig(do_sample=True, **ends)
model.save_pretrained(folder, safe_serialization=True)
print(json.dumps(told))
