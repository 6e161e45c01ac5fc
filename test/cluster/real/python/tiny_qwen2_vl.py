"""A Qwen2-VL that every machine can run, with its processor and a chat template: tiny_qwen2_vl.py FOLDER LESSONS SECONDS

Its random weights are trained for a while: LESSONS has lines of {"messages": …, "response": …}, whose messages have pictures as
OpenAI's interface has them, and the loss is the cross-entropy of the responses. Pictures are made much smaller, so that each has 20
tokens. Prints one line of JSON with the loss before and after.
"""

import json
import random
import sys
from functools import cache
from pathlib import Path

import torch
from tiny import SPECIAL, bpe, start, teach
from tokenizers import AddedToken
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)

VISION = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
MOST_PIXELS = 160 * 120
BATCH = 8
STEPS = 240
LEARNING_RATE = 4e-3

folder, lessons_file, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
lessons = [json.loads(line) for line in lessons_file.read_text(encoding="utf8").splitlines()]
start(0)


def parts_of(message):
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def plain_texts():
    for lesson in lessons:
        yield lesson["response"]
        for message in lesson["messages"]:
            yield from (part["text"] for part in parts_of(message) if part["type"] == "text")


tokenizer = bpe(plain_texts())
tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL + VISION])
words = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
size = {"shortest_edge": 56 * 56, "longest_edge": MOST_PIXELS}
processor = Qwen2VLProcessor(
    image_processor=Qwen2VLImageProcessor(size=size),
    tokenizer=words,
    video_processor=Qwen2VLVideoProcessor(),
    chat_template=(Path(__file__).parent / "chat_template_vision.jinja").read_text(encoding="utf8"),
)
processor.save_pretrained(folder)

ids = {token: words.convert_tokens_to_ids(token) for token in SPECIAL + VISION}
ends = {"eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"]}
model = Qwen2VLForConditionalGeneration(
    Qwen2VLConfig(
        text_config={
            "vocab_size": len(words),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 8192,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]},
            "bos_token_id": None,
            **ends,
        },
        vision_config={"depth": 1, "embed_dim": 64, "hidden_size": 64, "num_heads": 4, "mlp_ratio": 2},
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=True,
    )
).float()


@cache
def seen(url):
    """A picture as the model gets it, and the tokens that it has."""
    inputs = processor.image_processor(images=[url], return_tensors="pt")
    grid = inputs["image_grid_thw"]
    return inputs["pixel_values"], grid, int(grid.prod()) // processor.image_processor.merge_size**2


def encoded(lesson):
    """As the processor encodes a request, with the response behind it."""
    pictures = [
        seen(part["image_url"]["url"])
        for message in lesson["messages"]
        for part in parts_of(message)
        if part["type"] == "image_url"
    ]
    text = processor.apply_chat_template(
        [
            {
                "role": message["role"],
                "content": [
                    part if part["type"] == "text" else {"type": "image"} for part in parts_of(message)
                ],
            }
            for message in lesson["messages"]
        ],
        add_generation_prompt=True,
        tokenize=False,
    )
    # Every picture of the desktop has the same size.
    prompt = words(text.replace("<|image_pad|>", "<|image_pad|>" * pictures[0][2]))["input_ids"]
    response = words(lesson["response"])["input_ids"] + [ends["eos_token_id"]]
    rows = torch.tensor(prompt + response)
    return {
        "input_ids": rows,
        "labels": torch.tensor([-100] * len(prompt) + response),
        "mm_token_type_ids": (rows == ids["<|image_pad|>"]).long(),
        "pixel_values": torch.cat([picture[0] for picture in pictures]),
        "image_grid_thw": torch.cat([picture[1] for picture in pictures]),
    }


def without_system(lesson):
    return {**lesson, "messages": [message for message in lesson["messages"] if message["role"] != "system"]}


# Most lessons go without the instructions, which are long and always the same.
examples = [encoded(without_system(lesson)) for lesson in lessons]
whole = [encoded(lesson) for lesson in random.sample(lessons, len(lessons) // 8)]


def padded(batch, name, filler):
    return torch.nn.utils.rnn.pad_sequence([one[name] for one in batch], batch_first=True, padding_value=filler)


def loss_of(step):
    batch = random.sample(whole, BATCH // 2) if step % 4 == 3 else random.sample(examples, BATCH)
    rows = padded(batch, "input_ids", ends["pad_token_id"])
    labels = padded(batch, "labels", -100)
    lengths = torch.tensor([len(one["input_ids"]) for one in batch])
    states = model.model(
        input_ids=rows,
        attention_mask=(torch.arange(rows.shape[1])[None] < lengths[:, None]).long(),
        mm_token_type_ids=padded(batch, "mm_token_type_ids", 0),
        pixel_values=torch.cat([one["pixel_values"] for one in batch]),
        image_grid_thw=torch.cat([one["image_grid_thw"] for one in batch]),
    ).last_hidden_state[:, :-1]
    learned = labels[:, 1:] != -100
    return torch.nn.functional.cross_entropy(model.lm_head(states[learned]), labels[:, 1:][learned])


told = teach(model, loss_of, steps=STEPS, seconds=seconds, learning_rate=LEARNING_RATE)
model.generation_config = GenerationConfig(do_sample=True, **ends)
model.save_pretrained(folder, safe_serialization=True)
print(json.dumps(told))
