"""
Plays commands on ALFWorld itself, for comparing this project's engine with it (alfworld-reference.test.ts).

Needs a Python with `alfworld` (0.4 or 0.5) and `textworld[pddl]`. Reads one play per line from standard input,
{"game": path of a game.tw-pddl, "commands": [...]}, and writes one line for the start of the game and one for each
command, {"observation": ..., "admissible": [...], "won": ...}.
"""
import json
import sys

import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredInfos

INFOS = textworld.EnvInfos(won=True, admissible_commands=True, extras=["gamefile"])


def write(state):
    fields = {"observation": state.feedback, "admissible": state["admissible_commands"], "won": state["won"]}
    print(json.dumps(fields), flush=True)


def main():
    path = environment = None
    for line in sys.stdin:
        play = json.loads(line)
        if play["game"] != path:
            path = play["game"]
            environment = textworld.start(path, INFOS, wrappers=[AlfredDemangler(shuffle=False), AlfredInfos])
        write(environment.reset())
        for command in play["commands"]:
            state, _, _ = environment.step(command)
            write(state)


if __name__ == "__main__":
    main()
