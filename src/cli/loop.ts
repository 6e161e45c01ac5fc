/** `npm run loop`: the whole loop without a page, with each model in a thread of its own. See --help. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { webGpuObstacleInNode } from '../engines/backends/node-graphics.ts'
import { startThread } from '../threads/node-threads.ts'
import { openPlayers, type PlayersHost } from '../sessions/open-players.ts'
import { RoleModelError } from '../roles/error.ts'
import { shippedModel } from '../roles/shipped-models.ts'
import { ROLES, type Role } from '../method/ports.ts'
import { type RoleSource, sourcesOf } from '../roles/source.ts'
import type { TransformerModel } from '../engines/transformer/transformer-model.ts'
import { connectWorker } from '../threads/worker-bridge.ts'
import { WORLDS } from '../worlds/index.ts'
import type { OpenedWorld } from '../worlds/world.ts'
import { runLoop } from '../method/loop.ts'
import type { World } from '../method/settings.ts'
import { FileRunStore } from '../runs/file-store.ts'
import { LoopSession } from '../sessions/loop-session.ts'
import { ArgumentError } from './arguments.ts'
import { parseLoopArguments, LOOP_USAGE, type LoopArguments } from './loop/arguments.ts'
import { choiceLine, playersLine, RunReport } from './loop/report.ts'
import { OPENERS } from './loop/worlds/index.ts'

const EXIT_BAD_ARGUMENTS = 2
const EXIT_INTERRUPTED = 130

/** Throws ArgumentError if a built-in model that plays a role is missing. */
function checkFolders(models: string, world: World, sources: Record<Role, RoleSource>): void {
  const played = ROLES.filter((role) => sources[role].kind === 'built-in').map((role) => shippedModel(world, role))
  const missing = played.find((name) => !existsSync(join(models, name, 'config.json')))
  if (missing !== undefined) {
    throw new ArgumentError(
      `--models: "${models}" has no model ${missing}; it must contain ${played.join(', ')}, as \`npm run pretrain\` writes them.`,
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

async function run(options: LoopArguments): Promise<number> {
  const { settings } = options
  const path = options[WORLDS[settings.world].imports.setting]
  const world = await OPENERS[settings.world]({ settings, isResumed: false }, path, tell)
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
    world,
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
      // The name depends only on the arguments, so the same arguments give the same log.
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

/** The first Ctrl-C ends the run in order, the second immediately. */
function interrupt(session: LoopSession, world: OpenedWorld): void {
  if (isInterrupted) process.exit(EXIT_INTERRUPTED)
  isInterrupted = true
  process.stderr.write('\nStopping after the current step; press Ctrl-C again to stop now.\n')
  session.stop()
  // Judging programs may take minutes.
  world.close()
}

try {
  const options = parseLoopArguments(process.argv.slice(2), process.env)
  if (options === null) process.stdout.write(LOOP_USAGE)
  else process.exitCode = await run(options)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${message}\n`)
  process.exitCode = error instanceof ArgumentError || error instanceof RoleModelError ? EXIT_BAD_ARGUMENTS : 1
}
