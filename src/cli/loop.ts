/** `npm run loop`: the whole loop without a page, models in threads of their own. See USAGE. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { judgeRestartNotice } from '../threads/errors.ts'
import { webGpuObstacleInNode } from '../engines/backends/node-graphics.ts'
import { startThread } from '../threads/node-threads.ts'
import { openPlayers, type PlayersHost } from '../sessions/open-players.ts'
import { openWorld, type OpenedWorld, type WorldSources } from '../worlds/open-world.ts'
import { RoleModelError } from '../roles/error.ts'
import { SHIPPED_MODELS } from '../roles/shipped-models.ts'
import { ROLES, type Role } from '../method/ports.ts'
import { type RoleSource, sourcesOf } from '../roles/source.ts'
import type { TransformerModel } from '../engines/transformer/transformer-model.ts'
import { connectWorker } from '../threads/worker-bridge.ts'
import type { Judge } from '../worlds/coding/judge/judge.ts'
import { NoProblemsError } from '../worlds/coding/problem-source.ts'
import { openHousehold } from '../worlds/household/open-household.ts'
import { runLoop } from '../method/loop.ts'
import type { Settings } from '../method/settings.ts'
import { FileRunStore } from '../runs/file-store.ts'
import { LoopSession } from '../sessions/loop-session.ts'
import { importLibrary } from './loop/import-library.ts'
import { importProblems } from './loop/import-problems.ts'
import { ArgumentError, parseLoopArguments, USAGE, type LoopArguments } from './loop/arguments.ts'
import { choiceLine, playersLine, RunReport } from './loop/report.ts'

const EXIT_BAD_ARGUMENTS = 2
const EXIT_INTERRUPTED = 130

/** Throws ArgumentError where one of the world's models is missing that is to play. */
function checkFolders(models: string, world: Settings['world'], sources: Record<Role, RoleSource>): void {
  const names = SHIPPED_MODELS[world]
  const played = ROLES.filter((role) => sources[role].kind === 'built-in').map((role) => names[role])
  const missing = played.find((name) => !existsSync(join(models, name, 'config.json')))
  if (missing !== undefined) {
    throw new ArgumentError(
      `--models: "${models}" has no model ${missing}; it must hold ${played.join(', ')}, as \`npm run pretrain\` writes them.`,
    )
  }
}

function hostOf(models: string): PlayersHost {
  return {
    shippedModel: (name) => resolve(models, name),
    startModel: (role) =>
      connectWorker<TransformerModel>(startThread(new URL(`../../workers/${role}.ts`, import.meta.url)), role),
    startWebLlm: null,
    findWebGpuObstacle: webGpuObstacleInNode,
    now: () => performance.now(),
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Throws ArgumentError where games or problems are to be imported and there are none, or none to train on. */
async function openHere({ settings, games, problems }: LoopArguments): Promise<OpenedWorld> {
  const sources: WorldSources = {
    async openHousehold() {
      const library = games === undefined ? null : await importLibrary(games, tell)
      return { environment: openHousehold(settings, library), close() {} }
    },
    listProblems: async () => (problems === undefined ? [] : importProblems(problems, tell)),
    startJudge: () => connectWorker<Judge>(startThread(new URL('../../workers/judge.ts', import.meta.url)), 'judge'),
    onJudgeLoss: (loss) => tell(judgeRestartNotice(loss)),
  }
  try {
    return await openWorld({ settings, isResumed: false }, sources)
  } catch (error) {
    if (!(error instanceof NoProblemsError)) throw error
    throw new ArgumentError(`--problems: ${error.message}`, { cause: error })
  }
}

async function run(options: LoopArguments): Promise<number> {
  const world = await openHere(options)
  try {
    return await runIn(world, options)
  } finally {
    world.close()
  }
}

async function runIn(world: OpenedWorld, options: LoopArguments): Promise<number> {
  const { preset, settings, iterations, out, save } = options
  const store = new FileRunStore({ ...(out && { log: out }), ...(save && { checkpoints: save }) })
  const sources = sourcesOf(options.roles)
  checkFolders(options.models, settings.world, sources)
  const players = await openPlayers(
    { settings, sources, keys: options.keys, backend: options.backend },
    (pieces) => world.formatsFor(pieces),
    hostOf(options.models),
    {
      onBackend: (choice) => options.backend === 'auto' && tell(choiceLine(choice)),
      onNotice: tell,
    },
  )
  if (Object.keys(options.roles).length > 0) tell(playersLine(players))
  const report = new RunReport({ isJson: options.isJson, iterations, stdout: process.stdout, stderr: process.stderr })
  try {
    await store.create()
    const session = new LoopSession({
      loop: runLoop,
      ports: {
        policy: players.policy,
        reward: players.reward,
        author: players.author,
        formats: players.formats,
        environment: world.environment,
        ...(world.unitTests && { unitTests: world.unitTests }),
        now: () => performance.now(),
      },
      // No clock and no chance in the name: the same arguments give the same log.
      request: {
        runId: `${preset}-s${settings.seed}`,
        preset,
        backend: players.backend,
        models: players.names,
        settings,
      },
      iterations,
      store,
      checkpointEvery: save === undefined ? 0 : 1,
      onEvent: (event) => {
        report.take(event)
        if (event.type === 'timings') void store.appendTimings(event.iteration, event)
      },
    })
    const stop = () => interrupt(session, world)
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
    return (await session.run()) === 'completed' ? 0 : EXIT_INTERRUPTED
  } finally {
    report.end()
    players.close()
  }
}

let isInterrupted = false

/** The first Ctrl-C ends the run in order, the second at once. */
function interrupt(session: LoopSession, world: OpenedWorld): void {
  if (isInterrupted) process.exit(EXIT_INTERRUPTED)
  isInterrupted = true
  process.stderr.write('\nStopping after what is under way; Ctrl-C again stops at once.\n')
  session.stop()
  // Programs may be judged for minutes.
  world.close()
}

try {
  const options = parseLoopArguments(process.argv.slice(2), process.env)
  if (options === null) process.stdout.write(USAGE)
  else process.exitCode = await run(options)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${message}\n`)
  process.exitCode = error instanceof ArgumentError || error instanceof RoleModelError ? EXIT_BAD_ARGUMENTS : 1
}
