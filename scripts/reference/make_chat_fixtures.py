"""
Tokenizers and chat templates with the results of Hugging Face's own libraries, to test src/language-model/tokens against.

    python scripts/reference/make_chat_fixtures.py test/language-model/fixtures/chat

Needs transformers and tokenizers. Trains byte-level BPE tokenizers on the few lines below, with the pre-tokenizers of GPT-2 (as SmolLM2 has
it), Qwen2 and Llama 3, and writes for each the ids of texts, the texts of ids, and conversations by a chat template in its model's style.
"""

import json
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

CORPUS = [
    "You are in the middle of a room. Looking quickly around you, you see a drawer 1, a shelf 2, and a countertop 10.",
    "Think first, then answer with one line. Action: go to drawer 1\nAction: take the mug 2 from shelf 12",
    "The agent's step didn't help; it's not what we'd have done. Score: -1\n\nScore: 1\n",
    "function add(a, b) {\n    return a + b;\n}\n\nconst xs = [1, 22, 333, 4444].map((x) => x * 2)\n",
    "def f(n):\n\tif n <= 1:\n\t\treturn 1\n\treturn n * f(n - 1)\n",
    "Größe, naïve café, Ελληνικά, русский текст, 日本語の文章, 한국어 문장, 中文字符",
] * 4

TEXTS = [
    "", " ", "hello world", "You're here, THEY'LL go; I'D not.", "  two  spaces   three", "tabs\t\tand\r\nlines\r\n\r\n  indented\n\n\n",
    "trailing   ", " " * 40 + "x" + "\n" * 9 + " y", "1 22 333 4444 55555 3.14159 -7 0x1F ½ ٣", "x=1;y=[1,2,3];if(x>=y[0]){z++}//done",
    "def f(n):\n\treturn n * f(n - 1)\n", "const s = `a${b}`\n\n```js\nf()\n```\n", "emoji 😀👩‍👩‍👧🏽 flags 🇫🇷 and ❤️", "日本語の文章。中文字符！한국어 문장",
    "e\u0301 and \u00e9, ｆｕｌｌ　ｗｉｄｔｈ, ﬁ", "rtl שלום مرحبا", "zero\u200bwidth \u00a0nbsp \u2028line \ufeffbom \u0085next", "nul\u0000 bell\u0007 esc\u001b",
    "replaced \ufffd\ufffd end", "\U0001d54f\U00010348 astral", "<|im_start|>user\nhi<|im_end|>\n", "<|im_end", "a<|eot_id|><|begin_of_text|>b",
    "<think>\n\n</think>\n\nok", " <|im_end|> spaced <|eot_id|> ", "ſ K Å ǅ İi", "'S 'Re 'll ''ve",
]  # fmt: skip

GENERIC = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def split_by(digits):
    pattern = Regex(GENERIC.replace("DIGITS", digits))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(pattern, "isolated"), byte_level])


CHATML = """{% for message in messages %}
{%- if loop.first and message['role'] != 'system' %}{{ '<|im_start|>system\\nYou are a small and helpful model.<|im_end|>\\n' }}{% endif %}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

CHATML_WITH_TOOLS = """{%- if tools %}
    {{- '<|im_start|>system\\nTools:' }}
    {%- for tool in tools %}{{ '\\n' ~ (tool | tojson) }}{% endfor %}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nBe brief.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

REASONING = """{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(searching=true, last_query=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.searching and message.role == "user" and message.content is string %}
        {%- set ns.searching = false %}
        {%- set ns.last_query = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == "user" or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set content = message.content %}
        {%- set reasoning = '' %}
        {%- if '</think>' in content %}
            {%- set reasoning = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query and (loop.last or reasoning) %}
            {{- '<|im_start|>assistant\\n<think>\\n' + reasoning.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>assistant\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

HEADERS = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}{%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

STYLES = {
    "smollm2": dict(
        pre=pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
        ),
        special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], eos="<|im_end|>", template=CHATML,
    ),
    "qwen2": dict(
        pre=split_by(""), normalizer=normalizers.NFC(),
        special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], eos="<|im_end|>", template=CHATML_WITH_TOOLS,
    ),
    "qwen3": dict(
        pre=split_by(""), normalizer=normalizers.NFC(),
        special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], plain=["<tool_call>", "</tool_call>", "<think>", "</think>"],
        eos="<|im_end|>", template=REASONING,
    ),
    "llama3": dict(
        pre=split_by("{1,3}"), ignore_merges=True,
        special=["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
        bos="<|begin_of_text|>", eos="<|eot_id|>", template=HEADERS,
    ),
}  # fmt: skip

CONVERSATIONS = [
    [("user", "Hello there")],
    [("system", "Be kind."), ("user", "A <|im_end|> and {{ braces }}\n\n")],
    [("system", "S"), ("user", "one"), ("assistant", "two"), ("user", "three")],
    [("user", "1"), ("assistant", "<think>\nwhy\n</think>\n\nbecause"), ("user", "2"), ("assistant", "so"), ("user", "3 é 語")],
    [("user", "  padded  "), ("assistant", "\n\nnewlines\n")],
]


def train(style):
    tokenizer = Tokenizer(models.BPE(ignore_merges=style.get("ignore_merges", False)))
    tokenizer.pre_tokenizer = style["pre"]
    if "normalizer" in style:
        tokenizer.normalizer = style["normalizer"]
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=480, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in style["special"]])
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in style.get("plain", [])])
    if "bos" in style:
        bos = style["bos"]
        tokenizer.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.token_to_id(bos))]
            ),
        ])  # fmt: skip
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def conversations(tokenizer):
    for messages in CONVERSATIONS:
        messages = [{"role": role, "content": content} for role, content in messages]
        for has_cue in (False, True):
            for variables in ({}, {"enable_thinking": False}):
                text = tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=has_cue, date_string="26 Jul 2024", **variables
                )
                yield {"messages": messages, "hasCue": has_cue, "variables": variables, "text": text}


def write(name, style, folder):
    tokenizer = train(style)
    config = {"chat_template": style["template"], "eos_token": style["eos"]}
    if "bos" in style:
        config["bos_token"] = style["bos"]
    folder.mkdir(parents=True, exist_ok=True)
    # One token per line would take five hundred lines for each model.
    (folder / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=True, separators=(",", ":")) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=style.get("bos"), eos_token=style["eos"])
    fast.chat_template = style["template"]

    def decoded(ids):
        return fast.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    texts, cuts = [], []
    for text in TEXTS:
        ids = fast.encode(text, add_special_tokens=False)
        texts.append({"text": text, "ids": ids, "decoded": decoded(ids)})
        # Cut in the middle of characters at both ends.
        cuts += [{"ids": ids[a:b], "decoded": decoded(ids[a:b])} for a, b in ((1, None), (0, -1), (2, -2)) if ids[a:b]]
    reference = {"texts": texts, "cuts": cuts, "conversations": list(conversations(fast))}
    (folder / "reference.json").write_text(json.dumps(reference, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    for name, style in STYLES.items():
        write(name, style, Path(sys.argv[1]) / name)
