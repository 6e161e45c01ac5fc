"""`transformers` with its arguments, recording the pictures that reach its models: serve_and_record.py FILE serve MODEL …

Appends one line of JSON to FILE for each request with pictures: width, height and SHA-256 of the pixels (red, green and blue, row by
row) of each picture, decoded and not yet made smaller.
"""

import hashlib
import json
import sys

from transformers import Qwen2VLImageProcessor
from transformers.cli.transformers import main

file = sys.argv.pop(1)
prepare = Qwen2VLImageProcessor._preprocess


def recorded(self, images, *args, **options):
    pictures = []
    for image in images:
        _, height, width = image.shape
        pixels = image.permute(1, 2, 0).contiguous().cpu().numpy().tobytes()
        pictures.append({"width": width, "height": height, "sha256": hashlib.sha256(pixels).hexdigest()})
    with open(file, "a", encoding="utf8") as lines:
        lines.write(json.dumps(pictures) + "\n")
    return prepare(self, images, *args, **options)


Qwen2VLImageProcessor._preprocess = recorded
sys.exit(main())
