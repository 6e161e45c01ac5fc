/** A recorded run for each alarm in which it fires. docs/runs.md has the commands that made them. */
import { RECORDINGS } from '../../state/recordings.ts'
import type { AlarmId } from './alarms.ts'

interface RecordedAlarm {
  /** Its name in `public/runs`. */
  run: string
  /** What was done to the run, after "See it fire: ". */
  cause: string
}

export const RECORDED_ALARMS: Record<AlarmId, RecordedAlarm> = {
  'reward-collapse': {
    run: 'household-alarm-reward-collapse',
    cause: 'a reward model that learns from tasks that all rollouts fail',
  },
  'task-drift': {
    run: 'household-alarm-task-drift',
    cause: 'a band of accuracy from 49 to 51 %, and a pool of eight tasks',
  },
  'reward-hacking': { run: RECORDINGS.pleased, cause: 'λ = 5' },
  'entropy-collapse': {
    run: 'household-alarm-entropy-collapse',
    cause: 'a policy that learns fast from temperature 2, without a KL penalty',
  },
  'kl-blow-up': { run: 'household-alarm-kl-blow-up', cause: 'a learning rate of 0.004' },
  unparsable: { run: 'household-alarm-unparsable', cause: 'a reward model at temperature 2' },
  'no-acceptance': {
    run: 'household-alarm-no-acceptance',
    cause: 'a band of accuracy from 49 to 51 %, and a pool of four tasks',
  },
  'no-spread': { run: 'household-alarm-no-spread', cause: 'outcomes alone, and a policy at temperature 0.05' },
}
