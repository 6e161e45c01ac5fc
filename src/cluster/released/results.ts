/**
 * Lines of the release's results files, its only metrics (alfworld_rl_reward.py:145-148 and :383-387, llm_rl_reward.py:353-358,
 * osworld_rl_reward.py:735-751). The job's log contains the same lines.
 */
import { DOMAIN_ACCURACY } from '../../method/domain-accuracy.ts'
import type { ReleasedSystem } from '../protocol.ts'

export interface ResultsLine {
  step: number
  /** Share of successful episodes; in AlfWorld and coding it includes pending candidates. */
  acc: number
  /** Null if the line does not say; in AlfWorld and coding the file's name does. */
  isEvaluation: boolean | null
  /** By OSWorld domain. */
  domains?: Record<string, number>
  averageSteps?: number
  /** Mean number of tokens in a response. */
  responseLength?: number
  moved?: number
  deleted?: number
  /** UT and Detect, with the number of tests behind each. */
  tests?: { ut: number; utTests: number | null; detect: number; detectTests: number | null }
}

const NUMBER = '(-?[0-9.]+(?:e[+-]?[0-9]+)?|nan)'
const ALFWORLD = new RegExp(
  `^step: (\\d+)\\s+acc: ${NUMBER}\\s+avg step: ${NUMBER}\\s+avg response length: ${NUMBER}\\s+max_prompt_length: \\d+` +
    `(?:\\s+moved: (\\d+)\\s+deleted: (\\d+)\\s+missing: \\d+\\s+skipped: \\d+)?\\s*$`,
)
const CODING = new RegExp(
  `^train step: (\\d+)\\s+GT-pass-all acc: ${NUMBER}\\s+avg length: ${NUMBER}\\s+syn_ut_acc: ${NUMBER}\\s+perfect_ut_rate: ${NUMBER}` +
    `(?:\\s+\\(syn_ut_den_gt=(\\d+), syn_ut_den_gt_ngt=(\\d+)\\))?\\s*$`,
)
const OSWORLD = /^\[(TRAIN|EVAL) (\d+)\] (.*?)\s*ALL:([0-9.]+)\s*$/

/** Null if it is not a line of results. */
export function parseResultsLine(system: ReleasedSystem, line: string): ResultsLine | null {
  switch (system) {
    case 'alfworld':
      return alfworldLine(line)
    case 'coding':
      return codingLine(line)
    case 'osworld':
      return osworldLine(line)
  }
}

function alfworldLine(line: string): ResultsLine | null {
  const match = ALFWORLD.exec(line)
  if (!match) return null
  const [, step, acc, averageSteps, responseLength, moved, deleted] = match
  return checked({
    step: Number(step),
    acc: Number(acc),
    isEvaluation: moved === undefined ? true : false,
    averageSteps: Number(averageSteps),
    responseLength: Number(responseLength),
    ...(moved === undefined ? {} : { moved: Number(moved), deleted: Number(deleted) }),
  })
}

function codingLine(line: string): ResultsLine | null {
  const match = CODING.exec(line)
  if (!match) return null
  const [, step, acc, responseLength, ut, detect, utTests, detectTests] = match
  const count = (text: string | undefined) => (text === undefined ? null : Number(text))
  return checked({
    step: Number(step),
    acc: Number(acc),
    // The release calls evaluations "train step", too.
    isEvaluation: null,
    responseLength: Number(responseLength),
    tests: { ut: Number(ut), utTests: count(utTests), detect: Number(detect), detectTests: count(detectTests) },
  })
}

function osworldLine(line: string): ResultsLine | null {
  const match = OSWORLD.exec(line)
  if (!match) return null
  const [, mode, step, parts = '', acc] = match
  const domains: Record<string, number> = {}
  for (const part of parts.split(/\s+/).filter((text) => text !== '')) {
    const [, domain, value] = /^([\w-]+):([0-9.]+)$/.exec(part) ?? []
    if (domain === undefined || !Number.isFinite(Number(value))) return null
    domains[domain] = Number(value)
  }
  return checked({ step: Number(step), acc: Number(acc), isEvaluation: mode === 'EVAL', domains })
}

function checked(line: ResultsLine): ResultsLine | null {
  return Number.isFinite(line.acc) && line.acc >= 0 && line.acc <= 1 ? line : null
}

/** The metrics of a training step that its line contains. */
export function lineMetrics(line: ResultsLine): Record<string, number> {
  const metrics: Record<string, number> = {}
  for (const [domain, acc] of Object.entries(line.domains ?? {})) metrics[DOMAIN_ACCURACY + domain] = acc
  if (line.responseLength !== undefined && Number.isFinite(line.responseLength)) {
    metrics['rollout/response_length/mean'] = line.responseLength
  }
  if (line.tests) {
    metrics['reward/ut'] = line.tests.ut
    metrics['reward/detect'] = line.tests.detect
    if (line.tests.utTests !== null) metrics['reward/ut_tests'] = line.tests.utTests
    if (line.tests.detectTests !== null) metrics['reward/detect_tests'] = line.tests.detectTests
  }
  return metrics
}
