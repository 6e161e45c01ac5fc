/**
 * Runs one job in this process, from its last checkpoint if there is one, and writes its record and log. Its only argument is a
 * JSON object (`ChildRequest`); it prints the number of each finished iteration, and ends when its parent does.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { runLoop } from '../../../method/loop.ts'
import type { Role } from '../../../method/ports.ts'
import type { LearningRole } from '../../../roles/learning.ts'
import { sharedModel, shippedModel } from '../../../roles/shipped-models.ts'
import { folderSource, type RoleSource } from '../../../roles/source.ts'
import { loadFixedTrajectories } from '../../../sessions/fixed-trajectories.ts'
import { LoopSession } from '../../../sessions/loop-session.ts'
import { loopPorts } from '../../../sessions/loop-ports.ts'
import { openPlayers, type PlayersHost } from '../../../sessions/open-players.ts'
import { webGpuObstacleInNode } from '../../../engines/backends/node-graphics.ts'
import type { BackendName } from '../../../language-model/backends/backend.ts'
import { readShippedTrajectories } from '../../loop/shipped-trajectories.ts'
import { OPENERS } from '../../loop/worlds/index.ts'
import type { Job } from './jobs.ts'
import { measureElsewhere } from './measure-elsewhere.ts'
import { measureLog } from './measure-run.ts'
import { OneThread } from './one-thread.ts'
import { currentCommit } from './provenance.ts'
import { RunFolder } from './run-folder.ts'
import { readLog, UnfinishedRun } from './unfinished-run.ts'

export interface ChildRequest {
  job: Job
  /** Folder of the runs, and folder with the built-in models' folders. */
  out: string
  models: string
  /** Folder with the models that worlds share. */
  sharedModels: string
  backend: BackendName
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** Iterations between checkpoints: a kill costs at most a minute or so. */
const CHECKPOINT_EVERY = 5

async function runJob({ job, out, models, sharedModels, backend }: ChildRequest): Promise<void> {
  const { key, preset, settings, iterations, start, startsEarly, elsewhere } = job
  const folder = new RunFolder(out)
  const began = performance.now()
  let earlier = 0
  const seconds = () => earlier + (performance.now() - began) / 1000
  const store = new UnfinishedRun(folder.unfinishedPath(key), seconds, currentCommit(ROOT))
  const continued = await store.resume()
  earlier = continued?.seconds ?? 0

  const tell = (text: string) => process.stderr.write(`${key}: ${text}\n`)
  const world = await OPENERS[settings.world]({ settings, isResumed: continued !== null }, undefined, tell)
  const builtIn: RoleSource = { kind: 'built-in' }
  const reward: RoleSource = startsEarly ? { kind: 'built-in', isEarly: true } : builtIn
  const shared = (role: LearningRole) => folderSource(resolve(sharedModels, sharedModel(role)))
  const sources: Record<Role, RoleSource> = elsewhere
    ? { policy: shared('policy'), reward: shared('reward'), author: builtIn }
    : { policy: builtIn, reward, author: builtIn }
  const thread = new OneThread()
  const startPolicy = shippedModel(settings.world, 'policy')
  const host: PlayersHost = {
    shippedModel: (name) => (start !== null && name === startPolicy ? resolve(start) : resolve(models, name)),
    startModel: () => thread.startModel(),
    startWebLlm: null,
    findWebGpuObstacle: () => webGpuObstacleInNode(),
    now: () => performance.now(),
  }
  const players = await openPlayers({ settings, sources, keys: {}, backend }, world, host, {
    onBackend: () => {},
    onNotice: tell,
  })
  // Without them the judge would stay unmeasured, and its columns empty.
  const mustBeThere = (why: string) => {
    throw new Error(why)
  }
  const read = () => readShippedTrajectories(settings.world)
  const fixedTrajectories = await loadFixedTrajectories(settings, world, read, mustBeThere)
  const measured: Record<string, Record<string, number>> = {}
  try {
    if (continued === null) {
      await store.create()
    } else {
      await players.policy.loadCheckpoint(continued.checkpoint.policy)
      await players.reward.loadCheckpoint(continued.checkpoint.reward)
    }
    const session = new LoopSession({
      loop: runLoop,
      ports: loopPorts(players, world),
      request: { runId: key, preset, backend: players.backend, models: players.names, settings, fixedTrajectories },
      iterations: iterations - (continued?.checkpoint.iteration ?? 0),
      store,
      checkpointEvery: CHECKPOINT_EVERY,
      forgetsStored: true,
      ...(continued && { history: continued.history }),
      onEvent: (event) => {
        if (event.type === 'iteration-finished') process.stdout.write(`${event.iteration}\n`)
      },
    })
    await session.run()
    for (const place of elsewhere ?? []) {
      measured[place.settings.world] = await measureElsewhere(place, players, tell)
    }
  } finally {
    players.close()
    world.close()
  }

  const measures = await measureLog(readLog(store.logPath))
  const packed = folder.logPath(key)
  await pipeline(createReadStream(store.logPath), createGzip(), createWriteStream(`${packed}.part`))
  await rename(`${packed}.part`, packed)
  await folder.finish({
    version: 1,
    key,
    preset,
    seed: settings.seed,
    iterations,
    backend: players.backend,
    commits: store.commits,
    seconds: seconds(),
    ...measures,
    ...(elsewhere && { elsewhere: measured }),
  })
}

process.stdin.resume().once('end', () => process.exit(1))
await runJob(JSON.parse(process.argv[2]!) as ChildRequest)
process.exit(0)
