"""What the tiny models share: a tokenizer trained on their lessons, and the training loop."""

import random
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
VOCABULARY = 1500


def bpe(texts):
    """Byte-level pairs of `texts`, so that long prompts have only some hundred tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def start(seed):
    """Fixes what is random. Several threads are slow on a busy machine, because they wait for one another."""
    torch.manual_seed(seed)
    random.seed(seed)
    torch.set_num_threads(1)


def teach(model, loss_of, steps, seconds, learning_rate):
    """Lowers `loss_of(step)`. Returns the loss before and after, for a line of JSON."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0)
    began = time.monotonic()
    losses = []
    for step in range(steps):
        # The rate falls to nothing, at the last step or at the end of the time.
        left = 1 - max(step / steps, (time.monotonic() - began) / seconds)
        if left <= 0:
            break
        optimizer.param_groups[0]["lr"] = learning_rate * left
        loss = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        losses.append(loss.item())
    last = losses[-16:]
    told = {"before": losses[0], "after": sum(last) / len(last), "steps": len(losses), "seconds": time.monotonic() - began}
    return {name: round(value, 3) for name, value in told.items()}
