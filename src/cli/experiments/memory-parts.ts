/** What the memory of a page's process consists of, by the browser's own accounts (Chromium's memory-infra). */
import type { Browser } from 'playwright-core'

/** Bytes that the process holds for each, used or not. WebAssembly's memories, machine code and the program itself are no part. */
export interface MemoryParts {
  /** JavaScript of the page, and of all its workers together. */
  page: number
  workers: number
  /** The part of the workers' JavaScript in which new objects begin; V8 gives it back only after a worker was idle for long. */
  workersYoung: number
  /** Elements of the page, and their garbage. */
  elements: number
  /** Array buffers, strings and everything else that is allocated by native code. */
  native: number
}

/** An entry of a trace, if it is one process's account: sizes in hexadecimal digits, by the path of the allocator. */
interface TraceEvent {
  ph: string
  args?: { dumps?: { allocators?: Record<string, { attrs?: { size?: { value?: string } } }> } }
}

/** Measures the process with the most JavaScript. Null if the browser did not collect its figures in time. */
export async function memoryParts(browser: Browser): Promise<MemoryParts | null> {
  const session = await browser.newBrowserCDPSession()
  try {
    const trace: TraceEvent[] = []
    session.on('Tracing.dataCollected', ({ value }) => trace.push(...(value as unknown as TraceEvent[])))
    const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
    const traceConfig = { includedCategories: ['disabled-by-default-memory-infra'], excludedCategories: ['*'] }
    await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig })
    await session.send('Tracing.requestMemoryDump', { levelOfDetail: 'detailed' })
    await session.send('Tracing.end')
    await ended
    return largest(trace.flatMap((event) => partsOf(event) ?? []))
  } finally {
    await session.detach()
  }
}

function partsOf({ ph, args }: TraceEvent): MemoryParts | null {
  const accounts = args?.dumps?.allocators
  if (ph !== 'v' || accounts?.['v8/main'] === undefined) return null
  const size = (path: string) => Number.parseInt(accounts[path]?.attrs?.size?.value ?? '0', 16)
  return {
    page: size('v8/main'),
    workers: size('v8/workers'),
    workersYoung: size('v8/workers/heap/new_space'),
    elements: size('blink_gc'),
    native: size('malloc') + size('partition_alloc'),
  }
}

function largest(processes: readonly MemoryParts[]): MemoryParts | null {
  const javaScript = ({ page, workers }: MemoryParts) => page + workers
  return processes.reduce<MemoryParts | null>(
    (most, parts) => (most === null || javaScript(parts) > javaScript(most) ? parts : most),
    null,
  )
}
