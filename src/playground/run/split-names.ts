import type { Split } from '../../method/ports.ts'

/** The splits of a world's tasks, as in the charts. */
export const SPLIT_NAMES: Record<Split, string> = {
  train: 'training',
  id: 'in distribution',
  ood: 'out of distribution',
}
