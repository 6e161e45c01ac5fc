"""Plays given commands in the Python package alfworld and measures the CPU time of resets and steps alone.

Reads one JSON object on standard input, {"plays": [{"file": ..., "commands": [...]}, ...]}, and writes JSON lines on
standard output: first the versions, then one line per play. The environment is AlfredTWEnv's, without what only costs
time: no gym in between, no expert, no other processes.
"""
import json
import os
import sys
from importlib.metadata import version
from time import process_time

# The planner's library prints; standard output is for our lines alone.
lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

import textworld  # noqa: E402
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredInfos  # noqa: E402


def write(record):
    lines.write(json.dumps(record) + "\n")
    lines.flush()


def played(file, commands):
    infos = textworld.EnvInfos(won=True, admissible_commands=True, extras=["gamefile"])
    env = textworld.start(file, infos, wrappers=[AlfredDemangler, AlfredInfos])
    try:
        before = process_time()
        state = env.reset()
        reset_seconds = process_time() - before
        moments = [moment(state)]
        step_seconds = 0.0
        for command in commands:
            before = process_time()
            state, _, _ = env.step(command)
            step_seconds += process_time() - before
            moments.append(moment(state))
    finally:
        env.close()
    return {"moments": moments, "resetSeconds": reset_seconds, "stepSeconds": step_seconds}


def moment(state):
    return {
        "observation": state["feedback"],
        "won": bool(state["won"]),
        "admissible": list(state["admissible_commands"]),
    }


write({"alfworld": version("alfworld"), "textworld": version("textworld"), "python": sys.version.split()[0]})
for play in json.load(sys.stdin)["plays"]:
    write(played(play["file"], play["commands"]))
