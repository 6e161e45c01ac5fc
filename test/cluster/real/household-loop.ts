/**
 * A household loop for models of random weights, which say nothing that could be read: whatever they say is taken for one of a few
 * commands, or for a verdict, by its first letter. So rewards differ from one sample to the next, and there is something to learn.
 */
import { householdFormats } from '../../../src/environments/household/roles.ts'
import { HouseholdEnvironment } from '../../../src/environments/household/environment.ts'
import { generatedGames } from '../../../src/environments/household/game-source.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { isLogged } from '../../../src/method/events.ts'
import { runLoop } from '../../../src/method/loop.ts'
import type { LoopPorts } from '../../../src/method/loop-contract.ts'
import type { RoleFormats } from '../../../src/method/ports.ts'
import { DEFAULTS, type Settings } from '../../../src/method/settings.ts'

const COMMANDS = ['look', 'inventory', 'go to drawer 1', 'go to countertop 1']
const code = (text: string) => (text === '' ? 0 : text.codePointAt(0)!)

const formats: RoleFormats = {
  policy: {
    ...householdFormats.policy,
    parse: (text) => ({ thought: '', command: COMMANDS[code(text) % COMMANDS.length]! }),
    maxTokens: 6,
  },
  reward: {
    ...householdFormats.reward,
    parse: (text) => ({ reasoning: '', score: code(text) % 2 ? 1 : -1 }),
    maxTokens: 6,
  },
  author: { ...householdFormats.author, maxTokens: 8 },
}

const SETTINGS: Settings = {
  ...DEFAULTS,
  tasksPerIteration: 1,
  taskPoolSize: 1,
  groupSize: 4,
  maxSteps: 2,
  evaluationsPerStep: 2,
  rewardTemperature: 1,
  topP: 1,
  policyAccuracyLow: 0,
  rewardAccuracyLow: 0,
  rewardAccuracyHigh: 1,
  policyUpdatesPerIteration: 2,
  rewardUpdatesPerIteration: 2,
  rewriteAttempts: 1,
  evaluateEvery: 0,
}

export async function householdLoop(
  models: Pick<LoopPorts, 'policy' | 'reward' | 'author'>,
  iterations: number,
  settings: Partial<Settings> = {},
  onEvent: (event: LoggedEvent) => void | Promise<void> = () => {},
): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = []
  const ports: LoopPorts = {
    ...models,
    environment: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
    formats,
    now: () => performance.now(),
  }
  const request = {
    runId: 'real',
    preset: 'household',
    backend: 'server',
    models: { policy: 'tiny', reward: 'tiny', author: 'tiny' },
    settings: { ...SETTINGS, ...settings },
    iterations,
  }
  for await (const event of runLoop(ports, request)) {
    if (!isLogged(event)) continue
    log.push(event)
    await onEvent(event)
  }
  return log
}
