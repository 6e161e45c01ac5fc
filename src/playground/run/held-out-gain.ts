/** What training has gained on held-out tasks, in words. */
import { pairedGain } from '../../results/paired-gain.ts'
import type { HeldOutChange } from '../../runs/held-out-outcomes.ts'
import { signed } from '../kit/format.ts'

/** "+7.5 points (95 %: +2.3 to +12.8)"; null without tasks. */
export function gainWords({ better, worse, tasks }: Pick<HeldOutChange, 'better' | 'worse' | 'tasks'>): string | null {
  const paired = pairedGain(better, worse, tasks)
  if (paired === null) return null
  const [gain, low, high] = [paired.gain, paired.low, paired.high].map((share) => signed(100 * share, 1))
  return `${gain} points (95\u00a0%: ${low} to ${high})`
}
