/** `npm run loop`: the whole loop without a page, with each model in a thread of its own. See --help. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { webGpuObstacleInNode } from '../engines/backends/node-graphics.ts'
import { startThread } from '../threads/node-threads.ts'
import { loopPorts } from '../sessions/loop-ports.ts'
import { openPlayers, type PlayersHost } from '../sessions/open-players.ts'
import { RoleModelError } from '../roles/error.ts'
import { sourcesOf } from '../roles/source.ts'
import type { TransformerModel } from '../engines/transformer/transformer-model.ts'
import { connectWorker } from '../threads/worker-bridge.ts'
import { WORLDS } from '../worlds/index.ts'
import { modelsFolder } from '../worlds/own/models-folder.ts'
import type { OpenedWorld } from '../worlds/world.ts'
import type { LoopWorld } from './loop/worlds/open-world.ts'
import { runLoop } from '../method/loop.ts'
import { FileRunStore } from '../runs/file-store.ts'
import { loadFixedTrajectories } from '../sessions/fixed-trajectories.ts'
import { settingsIn } from '../sessions/own-world.ts'
import { LoopSession } from '../sessions/loop-session.ts'
import { samplersFor } from '../sessions/samplers.ts'
import type { BackendWish } from '../sessions/loop-service.ts'
import { ArgumentError } from './arguments.ts'
import { parseLoopArguments, LOOP_USAGE, type LoopArguments } from './loop/arguments.ts'
import { modelsIn } from './loop/models-folder.ts'
import { choiceLine, playersLine, RunReport } from './loop/report.ts'
import { checkAdapter } from './loop/adapter.ts'
import { inputsOf } from './loop/inputs.ts'
import { findCheckpoint, restore } from './loop/resume.ts'
import { readShippedTrajectories } from './loop/shipped-trajectories.ts'
import { OPENERS } from './loop/worlds/index.ts'
import { errorText } from '../threads/error-text.ts'

const EXIT_BAD_ARGUMENTS = 2
const EXIT_INTERRUPTED = 130

function hostOf(models: string, samplers: number | null): PlayersHost {
  return {
    shippedModel: (name) => resolve(models, name),
    startModel: (role) =>
      connectWorker<TransformerModel>(startThread(new URL('../../workers/model.ts', import.meta.url)), role),
    samplers: samplers ?? samplersFor(availableParallelism()),
    startWebLlm: null,
    findWebGpuObstacle: () => webGpuObstacleInNode(),
    now: () => performance.now(),
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function run(options: LoopArguments): Promise<number> {
  const { settings } = options
  const { imports } = WORLDS[settings.world]
  const path = options.world ?? (imports ? options[imports.setting] : undefined)
  const world = await OPENERS[settings.world]({ settings, isResumed: false }, path, tell)
  try {
    return await runIn(world, { ...options, settings: settingsIn(world, settings, tell) })
  } finally {
    world.close()
  }
}

async function runIn(world: LoopWorld, options: LoopArguments): Promise<number> {
  const { preset, settings, iterations, out, save } = options
  const { shipped, sources } = modelsIn(options.models, settings.world, sourcesOf(options.roles), {
    canRewrite: world.canRewrite,
    ...(options.world !== undefined && { builtIn: modelsFolder(options.world) }),
  })
  // The name depends only on the arguments, so the same arguments give the same log.
  const runId = `${preset}-s${settings.seed}`
  const { imports } = WORLDS[settings.world]
  const hash = world.importedHash
  const imported = imports && hash !== undefined ? { name: imports.setting, hash } : undefined
  // Only a checkpoint keeps them, and hashing the weights of a large model takes seconds.
  const inputs =
    save === undefined ? {} : await inputsOf(sources, settings.world, (name) => resolve(shipped, name), imported)
  const resumed = await findCheckpoint(runId, options, { inputs, worldFile: world.worldFile })
  const done = resumed?.checkpoint.iteration ?? 0
  if (resumed && done >= iterations) {
    tell(`The run already has ${done} ${done === 1 ? 'iteration' : 'iterations'}; raise --iterations to continue.`)
    return 0
  }
  if (options.isResumed) tell(resumed ? `Resuming after iteration ${done}.` : 'No checkpoint yet: the run starts.')
  const backend = resumed ? (resumed.started.backend as BackendWish) : options.backend
  if (backend === 'webgpu') await checkAdapter(resumed !== null)
  const players = await openPlayers(
    { settings, sources, keys: options.keys, backend },
    world,
    hostOf(shipped, options.samplers),
    {
      onBackend: (choice) => backend === 'auto' && tell(choiceLine(choice)),
      onNotice: tell,
    },
  )
  if (Object.values(sources).some(({ kind }) => kind !== 'built-in')) tell(playersLine(players))
  const fixedTrajectories = await loadFixedTrajectories(
    settings,
    world,
    () => readShippedTrajectories(settings.world),
    tell,
  )
  const report = new RunReport({ isJson: options.isJson, iterations, stdout: process.stdout, stderr: process.stderr })
  const store = new FileRunStore({
    ...(out && { log: out }),
    ...(save && { checkpoints: { folder: save, models: players, inputs } }),
  })
  try {
    if (resumed) await restore(resumed, out!, players)
    else await store.create()
    const session = new LoopSession({
      loop: runLoop,
      ports: loopPorts(players, world),
      request: {
        runId,
        preset,
        backend: players.backend,
        models: players.names,
        settings,
        fixedTrajectories,
        worldFile: world.worldFile,
      },
      iterations: iterations - done,
      ...(resumed && { history: resumed.history }),
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

/** When the reader of the output has gone, as in `| head`, a run continues only if it is kept. */
function outliveReader(isKept: boolean): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (!isKept) process.exit(EXIT_INTERRUPTED)
    })
}

try {
  const options = parseLoopArguments(process.argv.slice(2), process.env)
  outliveReader(options?.out !== undefined || options?.save !== undefined)
  if (options === null) process.stdout.write(LOOP_USAGE)
  else process.exitCode = await run(options)
} catch (error) {
  const message = errorText(error)
  process.stderr.write(`${message}\n`)
  process.exitCode = error instanceof ArgumentError || error instanceof RoleModelError ? EXIT_BAD_ARGUMENTS : 1
}
