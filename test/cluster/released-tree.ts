/**
 * A small tree in the released layout, for tests. Its files contain only the lines that the gateway patches, at the release's line
 * numbers. `alfworld_rl.py` replaces the release's orchestrator: it writes results, dumps, rewrites and a log in the released formats,
 * from separate processes like the release, and reads λ and α with the patched lines.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RELEASED_SYSTEMS } from '../../src/cluster/protocol.ts'
import { PATCH_POINTS } from '../../src/cluster/released/patch-points.ts'

export interface TreeOptions {
  /** Seconds that a step takes. */
  stepSeconds?: number
  /** Step in which the job fails; 0 for never. */
  failAt?: number
}

export function layDownTree(checkout: string, { stepSeconds = 0.5, failAt = 0 }: TreeOptions = {}): void {
  mkdirSync(join(checkout, 'configs'), { recursive: true })
  const files = new Map<string, string[]>()
  for (const point of RELEASED_SYSTEMS.flatMap((system) => PATCH_POINTS[system])) {
    const lines = files.get(point.file) ?? []
    while (lines.length < point.line) lines.push('#')
    lines[point.line - 1] = point.released
    files.set(point.file, lines)
  }
  for (const [file, lines] of files) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true })
    writeFileSync(join(checkout, file), `${lines.join('\n')}\n`)
  }
  writeFileSync(join(checkout, 'reward', 'stage.py'), STAGE)
  writeFileSync(
    join(checkout, 'alfworld_rl.py'),
    ORCHESTRATOR.replace('STEP_SECONDS', String(stepSeconds)).replace('FAIL_AT', String(failAt)),
  )
}

const ORCHESTRATOR = `import os, re, subprocess, sys, time
STEP, FAIL = STEP_SECONDS, FAIL_AT
config = [a for a in sys.argv if a.startswith("config=")][0][len("config="):]
text = open(config).read()
total = int(re.search(r"total_step: (\\d+)", text).group(1))
every = int(re.search(r"eval_every: (\\d+)", text).group(1))
project = os.path.splitext(os.path.basename(config))[0]
print("paths of this cluster:", os.getcwd())
def stage(step, function):
    subprocess.run([sys.executable, "stage.py", "config=../" + config, "experiment.current_epoch=%d" % step, function], cwd="reward", check=True)
for step in range(1, total + 1):
    print("\\n========== epoch %d ==========" % step)
    print("\\x1b[32m[policy] chunk 0/0 step 3/40\\x1b[0m")
    time.sleep(STEP / 2)
    if step == FAIL:
        raise RuntimeError("CUDA error: out of memory in " + os.getcwd())
    stage(step, "train")
    time.sleep(STEP / 4)
    print("All train nodes finished.")
    time.sleep(STEP / 4)
    print("All train nodes finished.")
    if step % every == 0:
        stage(step, "evaluation")
`

const STAGE = `import json, os, re, sys
sys.path.insert(0, os.path.abspath("../sample"))
config = [a for a in sys.argv if a.startswith("config=")][0][len("config="):]
step = int([a for a in sys.argv if a.startswith("experiment.current_epoch=")][0].split("=")[1])
function = sys.argv[-1]
text = open(config).read()
project = os.path.splitext(os.path.basename(config))[0]
value = lambda key: json.loads(re.search(r"^ +%s: (.*)$" % key, text, re.M).group(1))
model = value("policy_model") if step == 1 else "../" + project + "/ckpt/optimized"
tag = model.replace("/", ".") + "-alfworld"
data, results = "../%s/temp_data/" % project, "../%s/results/" % project
for folder in (data, results):
    os.makedirs(folder, exist_ok=True)
state_file = os.path.join(value("environment_data_dir"), "json_2.1.1", project, "env_state-node0.json")

def patched(file, line, **names):
    source = open(file).read().split("\\n")[line - 1].strip()
    exec(source, names)
    return names

def game(name, folder="train"):
    return folder + "/" + name + "/trial_1/game.tw-pddl"

def item(source, name, game_id, wins, **more):
    rollouts = [1] * wins + [-1] * (4 - wins)
    votes = [[1, 1, -1] if won == 1 else [1, -1, -1] for won in rollouts]
    opening = "You are in the middle of a room.\\n\\nYour task is to: put a mug in desk.\\n"
    return dict(source=source, slot_id=name, node_index=0, type="raw", game_id=game_id, raw_game_id=game(name), task=name, trial="trial_1",
        task_path=os.path.abspath(name), trajectory=[[{"obs": opening, "act": "go to desk 1"}, {"obs": "You arrive.", "act": None}] for _ in rollouts],
        prompt=[["prompt %d" % step] for _ in rollouts], response=[["I look. \\\\boxed{%d}" % j] for j in range(4)], if_success=rollouts,
        success_steps=[1] * 4, init_obs=[opening] * 4, acc=wins / 4, extracted_reward=[[v] for v in votes],
        reward_response=[[["Good: " + os.path.abspath(name)] * 3] for _ in rollouts], **more)

if function == "evaluation":
    items = [item("evaluation", "pick_and_place_simple-Pan-None-Desk-1", game("x"), 2)]
    json.dump(items, open(data + "outputs-eval-%s-eval_in_distribution.json" % tag, "w"))
    line = "step: %d   acc: 0.5   avg step: 20.5   avg response length: 11.5   max_prompt_length: 300" % step
    open(results + "results-eval-%s-eval_in_distribution.txt" % tag, "a").write(line + "\\n")
    print("\\n\\n\\n\\x1b[32m" + line + "\\x1b[0m")
    sys.exit(0)

names = ["pick_and_place_simple-Mug-None-Desk-%d" % i for i in range(3)]
items = [item("active", name, game(name), (step + i) % 5) for i, name in enumerate(names)]
state = json.load(open(state_file)) if os.path.exists(state_file) else {"version": 2, "slots": {}, "pending": []}
moved = deleted = 0
for pending in state["pending"]:
    wins = 2
    low = patched("alfworld_rl_reward.py", 184, now_acc=wins / 4, prev_acc_f=pending["prev_acc"])["ok"]
    items.append(item("pending", pending["slot_id"], pending["temp_game_id"], wins, goal=pending["goal"], prev_acc=pending["prev_acc"],
        created_epoch=pending["created_epoch"], parent_active_game_id=pending["parent_active_game_id"], temp_accept=bool(low)))
    moved, deleted = moved + bool(low), deleted + (not low)
from_wins = 4
state["pending"] = [dict(slot_id="pick_and_place_simple-Mug-None-Desk-9", goal="harder", prev_acc=1.0, created_epoch=step,
    raw_game_id=game("pick_and_place_simple-Mug-None-Desk-9"), parent_active_game_id=game("pick_and_place_simple-Mug-None-Desk-9"),
    temp_game_id=game("pick_and_place_simple-Bowl-None-Desk-9-try1-0-syn-%d" % step, project + "/temp_train"), env_prompt="", env_full_output="\\\\boxed{Bowl,Desk}",
    attempt_id=1, failed_rollout_summaries=[])]
os.makedirs(os.path.dirname(state_file), exist_ok=True)
json.dump(state, open(state_file + ".tmp", "w"))
os.replace(state_file + ".tmp", state_file)
used = patched("alfworld_rl_reward.py", 288, policy_r=[], outcome_reward=0.0, mean_score=1.0)["policy_r"][0]
with open(data + "used.jsonl", "a") as file:
    file.write(json.dumps({"step": step, "lambda": used}) + "\\n")
json.dump(items, open(data + "outputs-rl-%s.json" % tag, "w"), indent=2)
wins = sum(w == 1 for i in items for w in i["if_success"])
line = "step: %d   acc: %s   avg step: 20.5   avg response length: 11.5   max_prompt_length: 300   moved: %d   deleted: %d   missing: 0   skipped: 0" % (step, wins / (4 * len(items)), moved, deleted)
open(results + "results-rl-%s.txt" % tag, "a").write(line + "\\n")
print("\\n\\n\\n\\x1b[32m" + line + "\\x1b[0m")
`
