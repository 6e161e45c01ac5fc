/**
 * Files of a run that clients may download: four fixed names, so no text of a request becomes part of a path. The log is redacted line
 * by line, because the release prints paths of the cluster.
 */
import { createReadStream, existsSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LoggedEvent } from '../../method/events.ts'
import type { RunFile } from '../protocol.ts'
import { plainLine } from '../released/job-log.ts'
import { drained } from './drained.ts'
import type { ManagedRun } from './managed-run.ts'
import type { Redactor } from './redactor.ts'

/** `run.jsonl` is a run log that the playground opens. */
const TYPES = {
  'run.jsonl': 'application/jsonl',
  'metrics.jsonl': 'application/jsonl',
  'config.yaml': 'application/yaml',
  'job.log': 'text/plain; charset=utf-8',
} as const
export type RunFileName = keyof typeof TYPES

/** Header of a run log (src/runs/run-log.ts). */
const LOG_HEADER = '{"format":"rlanything-run","version":1}\n'

export function isRunFile(name: string): name is RunFileName {
  return Object.hasOwn(TYPES, name)
}

/** Sizes are those on disk; for the two files that are generated on request, the journal's. */
export function listRunFiles(managed: ManagedRun): RunFile[] {
  const bytes = (file: string) => {
    const path = join(managed.folder, file)
    return existsSync(path) ? statSync(path).size : 0
  }
  const journal = bytes('journal.jsonl')
  return [
    { name: 'run.jsonl', bytes: journal },
    { name: 'metrics.jsonl', bytes: journal },
    { name: 'config.yaml', bytes: bytes('config.yaml') },
    { name: 'job.log', bytes: bytes('job.log') },
  ]
}

export async function sendRunFile(
  managed: ManagedRun,
  name: RunFileName,
  redactor: Redactor,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, {
    'content-type': TYPES[name],
    'content-disposition': `attachment; filename="${managed.record.runId}-${name}"`,
  })
  for await (const piece of piecesOf(managed, name, redactor)) {
    if (response.destroyed) return
    if (!response.write(piece)) await drained(response)
  }
  response.end()
}

async function* piecesOf(managed: ManagedRun, name: RunFileName, redactor: Redactor): AsyncGenerator<string> {
  switch (name) {
    case 'run.jsonl':
      yield LOG_HEADER
      for (let seq = 0; seq < managed.watch.length; seq++) yield `${managed.watch.line(seq)}\n`
      break
    case 'metrics.jsonl':
      for (let seq = 0; seq < managed.watch.length; seq++) {
        const event = JSON.parse(managed.watch.line(seq)) as LoggedEvent
        if (event.type === 'iteration-finished') {
          yield `${JSON.stringify({ step: event.iteration, ...event.metrics })}\n`
        }
      }
      break
    case 'config.yaml':
      yield managed.record.plan.yaml
      break
    case 'job.log': {
      if (!existsSync(managed.logFile)) return
      const lines = createInterface({ input: createReadStream(managed.logFile), crlfDelay: Infinity })
      for await (const line of lines) yield `${redactor.text(plainLine(line))}\n`
    }
  }
}
