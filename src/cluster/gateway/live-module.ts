/**
 * The Python module that patched code asks for λ, α_low and α_high; it is placed beside the patched scripts. Every stage of the
 * release is a separate process, on any node, that knows its run and step from its command line. So values are looked up by step, and
 * a change cannot take effect in the middle of one.
 *
 * <checkout>/<project>/rlanything-live.json: {"changes": [{"fromStep": 1, "live": {"lambda": 1, …}}, …]}, in order.
 */
import type { LiveChange } from '../released/live-changes.ts'

export const LIVE_MODULE_NAME = 'rlanything_live.py'
export const LIVE_FILE = 'rlanything-live.json'
/** Folders that contain patched scripts. */
export const LIVE_MODULE_FOLDERS = ['reward', 'sample'] as const

export function liveFileText(changes: readonly LiveChange[]): string {
  return `${JSON.stringify({ changes }, null, 1)}\n`
}

export const LIVE_MODULE = `"""Written by RLAnything Playground's gateway: values that the release fixes in code, by run and step."""
import functools
import json
import os
import re
import sys

RELEASED = {"lambda": 1.0, "alphaLow": 0.2, "alphaHigh": 0.8}
CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _argument(pattern):
    """The last match in the command line; flags and their values are joined by a space."""
    found = re.findall(pattern, " ".join(sys.argv[1:]))
    return found[-1] if found else None


def _project():
    config = _argument(r"(?:^|\\s)config=(\\S+?)\\.yaml(?:\\s|$)")
    if config is not None:
        return os.path.basename(config)
    folder = _argument(r"(?:^|\\s)--merge-dir (\\S+)")
    return None if folder is None else os.path.basename(os.path.dirname(os.path.abspath(folder.rstrip("/"))))


def _step(project):
    step = _argument(r"(?:^|\\s)(?:--step |experiment\\.current_epoch=)(\\d+)(?:\\s|$)")
    if step is not None:
        return int(step)
    # OSWorld's rewrites do not know their step: it is the one whose results were written last.
    try:
        with open(os.path.join(CHECKOUT, project, "results", "rl-results.txt"), encoding="utf-8") as file:
            steps = re.findall(r"^\\[TRAIN (\\d+)\\]", file.read(), re.M)
    except FileNotFoundError:
        steps = []
    return int(steps[-1]) if steps else 1


@functools.lru_cache(maxsize=None)
def value(name):
    """The value in this process's step, or the released one if no gateway manages the run. Read once: a stage is one process."""
    project = _project()
    if project is None:
        return RELEASED[name]
    try:
        with open(os.path.join(CHECKOUT, project, "${LIVE_FILE}"), encoding="utf-8") as file:
            changes = json.load(file)["changes"]
    except FileNotFoundError:
        return RELEASED[name]
    step = _step(project)
    current = RELEASED[name]
    for change in changes:
        if int(change["fromStep"]) <= step:
            current = float(change["live"][name])
    return current
`
