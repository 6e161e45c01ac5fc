/**
 * Where the release fixes λ, α_low and α_high in code (1fe5dbd): the expected line and its replacement. The new line asks
 * `rlanything_live` (live-module.ts), which returns the released value if no gateway manages the run, so a patched checkout behaves
 * as before. No line is added or removed, so all other lines keep their numbers.
 *
 * λ: alfworld_rl_reward.py:288 and :326, osworld_rl_reward.py:606 and :628. The constant -2 for unparsable votes is unchanged.
 */
import type { LiveParameter, ReleasedSystem } from '../protocol.ts'

export interface PatchPoint {
  /** Path from the root of the checkout. */
  file: string
  /** Line number, from 1. */
  line: number
  released: string
  patched: string
  parameters: readonly LiveParameter[]
}

/** `__import__`, because an import would add a line. */
function live(name: LiveParameter): string {
  return `__import__("rlanything_live").value("${name}")`
}

function point(
  file: string,
  line: number,
  released: string,
  replaced: Readonly<Record<string, string>>,
  parameters: readonly LiveParameter[],
): PatchPoint {
  let patched = released
  for (const [before, after] of Object.entries(replaced)) {
    if (patched.split(before).length !== 2)
      throw new Error(`"${before}" does not occur exactly once in ${file}:${line}.`)
    patched = patched.replace(before, () => after)
  }
  return { file, line, released, patched, parameters }
}

const indent = (columns: number) => ' '.repeat(columns)
const lambda: readonly LiveParameter[] = ['lambda']
const low: readonly LiveParameter[] = ['alphaLow']
const high: readonly LiveParameter[] = ['alphaHigh']

export const PATCH_POINTS: Record<ReleasedSystem, readonly PatchPoint[]> = {
  alfworld: [
    point(
      'reward/alfworld_rl_reward.py',
      184,
      `${indent(24)}ok = (now_acc < prev_acc_f) & (now_acc >= 0.2)`,
      { '0.2': live('alphaLow') },
      low,
    ),
    point(
      'reward/alfworld_rl_reward.py',
      186,
      `${indent(24)}ok = (now_acc > prev_acc_f) & (now_acc <= 0.8)`,
      { '0.8': live('alphaHigh') },
      high,
    ),
    point(
      'reward/alfworld_rl_reward.py',
      288,
      `${indent(16)}policy_r.append(outcome_reward + mean_score)`,
      { mean_score: `${live('lambda')} * mean_score` },
      lambda,
    ),
    point(
      'reward/alfworld_rl_reward.py',
      326,
      `${indent(24)}raw_l.append((outcome_reward + mean_score) * sco)`,
      { mean_score: `${live('lambda')} * mean_score` },
      lambda,
    ),
    point(
      'sample/alfworld_utils.py',
      695,
      'def direction_from_acc(acc: float, hi: float = 0.8, lo: float = 0.2):',
      { '0.8': live('alphaHigh'), '0.2': live('alphaLow') },
      [...low, ...high],
    ),
  ],
  coding: [
    point(
      'sample/llm_env_rollout.py',
      603,
      `${indent(20)}ok = ((now_acc < prev_acc) and (now_acc >= 0.2)) if goal == "harder" else ((now_acc > prev_acc) and (now_acc <= 0.8))`,
      { '0.2': live('alphaLow'), '0.8': live('alphaHigh') },
      [...low, ...high],
    ),
    // The release swaps the names: above the first threshold a task is made harder.
    point('sample/llm_env_rollout.py', 641, `${indent(8)}acc_low = 0.8`, { '0.8': live('alphaHigh') }, high),
    point('sample/llm_env_rollout.py', 642, `${indent(8)}acc_high = 0.2`, { '0.2': live('alphaLow') }, low),
  ],
  osworld: [
    point(
      'reward/osworld_rl_reward.py',
      382,
      `${indent(12)}ok = (after_acc < pre_acc - float(delta)) and (after_acc >= 0.2)`,
      { '0.2': live('alphaLow') },
      low,
    ),
    point(
      'reward/osworld_rl_reward.py',
      384,
      `${indent(12)}ok = (after_acc > pre_acc + float(delta)) and (after_acc <= 0.8)`,
      { '0.8': live('alphaHigh') },
      high,
    ),
    point(
      'reward/osworld_rl_reward.py',
      606,
      `${indent(20)}raw = outcome + prc`,
      { prc: `${live('lambda')} * prc` },
      lambda,
    ),
    point(
      'reward/osworld_rl_reward.py',
      628,
      `${indent(24)}raw = (outcome + prc) * sign`,
      { prc: `${live('lambda')} * prc` },
      lambda,
    ),
    point(
      'sample/osworld_env_rollout.py',
      449,
      `${indent(4)}harder_threshold = 0.8`,
      { '0.8': live('alphaHigh') },
      high,
    ),
    point('sample/osworld_env_rollout.py', 450, `${indent(4)}easier_threshold = 0.2`, { '0.2': live('alphaLow') }, low),
  ],
}
