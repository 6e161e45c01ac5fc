"""A Llama in JAX on the CPU, as a JAX user would write it: training steps and greedy decoding under `jit`.

Reads JSON lines on standard input and answers each with one on standard output. The first describes the model: its config, its
parameters by name and shape, and a file with their float32 values one after the other. Every later line names a call and its
arguments; arrays too large for a line are written to the file that the call names. process.ts is the other side.
"""
import json
import os
import sys
import time
from functools import partial
from importlib.metadata import version

# Standard output is for the answers alone.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def answer(record):
    answers.write(json.dumps(record) + "\n")
    answers.flush()


class Llama:
    def __init__(self, description):
        self.config = description["config"]
        self.options = description["training"]
        values = np.memmap(description["weights"], dtype=np.float32, mode="r")
        self.shapes = [(name, tuple(shape)) for name, shape in description["shapes"]]
        self.parameters, at = {}, 0
        for name, shape in self.shapes:
            size = int(np.prod(shape))
            self.parameters[name] = jnp.array(values[at : at + size].reshape(shape))
            at += size
        self.moments = None
        self.updates = 0
        self.loss_and_gradients = jax.jit(jax.value_and_grad(self.loss))
        self.train = jax.jit(self.update, donate_argnums=(0, 1, 2))
        self.last_logits = jax.jit(lambda parameters, tokens: self.read(parameters, tokens, tokens.shape[1])[0])
        self.decode = jax.jit(self.greedy, static_argnames="count")

    # The model.

    def norm(self, x, weight):
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + self.config["normEpsilon"]) * weight

    def rotated(self, x, positions):
        angles = positions[:, None] * jnp.asarray(self.config["inverseFrequencies"], jnp.float32)
        cosine, sine = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
        first, second = jnp.split(x, 2, -1)
        return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)

    def layers(self, parameters, tokens, positions, attend):
        """Hidden states [batch, length, d]. `attend(layer, q, k, v)` gets [batch, length, heads, head size]."""
        config = self.config
        batch, length = tokens.shape
        x = parameters["model.embed_tokens.weight"][tokens]
        for layer in range(config["layers"]):
            weight = lambda name: parameters[f"model.layers.{layer}.{name}.weight"]  # noqa: B023, E731
            split = lambda y: y.reshape(batch, length, -1, config["headDim"])  # noqa: E731
            normed = self.norm(x, weight("input_layernorm"))
            queries = self.rotated(split(normed @ weight("self_attn.q_proj").T), positions)
            keys = self.rotated(split(normed @ weight("self_attn.k_proj").T), positions)
            values = split(normed @ weight("self_attn.v_proj").T)
            attended = attend(layer, queries, keys, values).reshape(batch, length, -1)
            x = x + attended @ weight("self_attn.o_proj").T
            normed = self.norm(x, weight("post_attention_layernorm"))
            gated = jax.nn.silu(normed @ weight("mlp.gate_proj").T) * (normed @ weight("mlp.up_proj").T)
            x = x + gated @ weight("mlp.down_proj").T
        return self.norm(x, parameters["model.norm.weight"])

    def head(self, parameters, hidden):
        return hidden @ parameters["model.embed_tokens.weight"].T

    # Training.

    def loss(self, parameters, tokens, targets):
        attend = lambda _, q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
        hidden = self.layers(parameters, tokens, jnp.arange(tokens.shape[1]), attend)
        logits = self.head(parameters, hidden)
        chosen = jnp.take_along_axis(logits, targets[..., None], -1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits, -1) - chosen)

    def update(self, parameters, first, second, corrections, tokens, targets):
        """Clipping by the global norm, then Adam: AdamW with the benchmark's weight decay of 0."""
        loss, gradients = jax.value_and_grad(self.loss)(parameters, tokens, targets)
        norm = jnp.sqrt(sum(jnp.sum(gradient * gradient) for gradient in gradients.values()))
        scale = jnp.minimum(1.0, self.options["maxGradNorm"] / (norm + 1e-6))
        first = {name: BETA1 * m + (1 - BETA1) * scale * gradients[name] for name, m in first.items()}
        second = {name: BETA2 * v + (1 - BETA2) * (scale * gradients[name]) ** 2 for name, v in second.items()}
        direction = lambda name: (  # noqa: E731
            first[name] / corrections[0] / (jnp.sqrt(second[name] / corrections[1]) + EPSILON)
        )
        rate = self.options["learningRate"]
        parameters = {name: weight - rate * direction(name) for name, weight in parameters.items()}
        return loss, parameters, first, second

    # Decoding.

    def read(self, parameters, tokens, positions):
        """Logits after the last token, and keys and values with room for `positions`."""
        kept = []
        length = tokens.shape[1]

        def attend(_, queries, keys, values):
            room = ((0, 0), (0, positions - length), (0, 0), (0, 0))
            kept.append((jnp.pad(keys, room), jnp.pad(values, room)))
            return jax.nn.dot_product_attention(queries, keys, values, is_causal=True)

        hidden = self.layers(parameters, tokens, jnp.arange(length), attend)
        return self.head(parameters, hidden[:, -1]), kept

    def greedy(self, parameters, tokens, count):
        length = tokens.shape[1]
        logits, kept = self.read(parameters, tokens, length + count)
        first = jnp.argmax(logits, -1)
        drawn = jnp.zeros((tokens.shape[0], count), first.dtype).at[:, 0].set(first)

        def one_more(step, state):
            drawn, kept = state
            position = length + step - 1
            kept = list(kept)
            seen = jnp.arange(length + count)[None, None, None, :] <= position

            def attend(layer, queries, keys, values):
                old_keys, old_values = kept[layer]
                kept[layer] = (
                    jax.lax.dynamic_update_slice_in_dim(old_keys, keys, position, 1),
                    jax.lax.dynamic_update_slice_in_dim(old_values, values, position, 1),
                )
                return jax.nn.dot_product_attention(queries, *kept[layer], mask=seen)

            last = jax.lax.dynamic_slice_in_dim(drawn, step - 1, 1, 1)
            hidden = self.layers(parameters, last, position[None], attend)
            likeliest = jnp.argmax(self.head(parameters, hidden[:, -1]), -1)
            return jax.lax.dynamic_update_slice_in_dim(drawn, likeliest[:, None], step, 1), kept

        return jax.lax.fori_loop(1, count, one_more, (drawn, kept))[0]

    # Calls.

    def call_gradients(self, tokens, targets, into):
        loss, gradients = self.loss_and_gradients(self.parameters, np.array(tokens), np.array(targets))
        with open(into, "wb") as file:
            for name, _ in self.shapes:
                file.write(np.asarray(gradients[name], np.float32).tobytes())
        return {"loss": float(loss)}

    def call_step(self, tokens, targets):
        self.updates += 1
        if self.moments is None:
            zeros = partial(jax.tree.map, jnp.zeros_like)
            self.moments = (zeros(self.parameters), zeros(self.parameters))
        corrections = np.array([1 - BETA1**self.updates, 1 - BETA2**self.updates], np.float32)
        loss, self.parameters, *self.moments = jax.block_until_ready(
            self.train(self.parameters, *self.moments, corrections, np.array(tokens), np.array(targets))
        )
        return {"loss": float(loss)}

    def call_logits(self, prompts, into):
        with open(into, "wb") as file:
            file.write(np.asarray(self.last_logits(self.parameters, np.array(prompts)), np.float32).tobytes())
        return {}

    def call_generate(self, prompts, count):
        return {"tokens": np.asarray(self.decode(self.parameters, np.array(prompts), count=count)).tolist()}


def peak_bytes():
    """Most memory that this process has had, if the system counts it."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


llama = Llama(json.loads(sys.stdin.readline()))
answer({"jax": version("jax"), "python": sys.version.split()[0], "device": jax.devices()[0].platform})
for line in sys.stdin:
    request = json.loads(line)
    result = getattr(llama, f"call_{request.pop('call')}")(**request)
    answer({**result, "processorMs": time.process_time() * 1000, "peakBytes": peak_bytes()})
