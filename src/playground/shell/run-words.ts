/** What the run on show is doing, in words. */
import type { Playground } from '../state/playground.svelte.ts'
import { capital } from '../kit/format.ts'
import { runPlace } from '../run/run-label.ts'
import { phaseName } from '../views/loop/loop-flows.ts'

type Shown = Pick<Playground, 'source' | 'recorded' | 'live' | 'shownWorld'>

/** '' if there is nothing to say beside the controls. */
export function runSentence({ source, recorded, live, shownWorld }: Shown): string {
  if (source === 'recorded') {
    const phase = recorded.state === 'ready' ? recorded.phase : null
    return phase
      ? `Iteration ${Math.min(recorded.iteration + 1, recorded.lastIteration)}: ${phaseName(phase, shownWorld)}`
      : ''
  }
  const { status, progress } = live
  switch (status.state) {
    case 'idle':
      return 'Not started'
    case 'loading':
      return status.total > 0
        ? `Loading ${status.what}: ${Math.round((100 * status.done) / status.total)} %`
        : `Loading ${status.what}`
    case 'paused':
      return 'Paused'
    case 'pausing':
      return 'Pausing'
    case 'finished':
      return status.reason === 'completed' ? 'Finished' : 'Stopped'
    case 'failed':
      return status.failure.what
    case 'running':
      return progress
        ? `${capital(runPlace(live.view))}: ${phaseName(progress.phase, shownWorld)}, ${progress.done} of ${progress.total}`
        : 'Starting'
  }
}

/** For screen readers, which should not hear every number. */
export function runAnnouncement(shown: Shown): string {
  const { source, recorded, live } = shown
  if (source === 'recorded') {
    if (recorded.isLoading || recorded.state !== 'ready') return ''
    return recorded.isPlaying ? 'Replaying the recorded run' : `Recorded run, iteration ${recorded.iteration}`
  }
  if (live.status.state === 'running') return `Running, ${runPlace(live.view)}`
  return live.status.state === 'loading' ? `Loading ${live.status.what}` : runSentence(shown)
}
