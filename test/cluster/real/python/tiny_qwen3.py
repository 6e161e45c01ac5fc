"""A Qwen3 with random weights that every machine can run, a tokenizer of bytes and a chat template: tiny_qwen3.py FOLDER"""

import sys

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

folder = sys.argv[1]
torch.manual_seed(0)

alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE(vocab={letter: index for index, letter in enumerate(alphabet)}, merges=[]))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
tokenizer.decoder = decoders.ByteLevel()
tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
words = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE
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
model.generation_config = GenerationConfig(do_sample=True, **ends)
model.save_pretrained(folder, safe_serialization=True)
