import { describe, expect, it } from 'vitest'
import { markOf, plainLine } from '../../../src/cluster/released/job-log.ts'
import { parseResultsLine } from '../../../src/cluster/released/results.ts'

describe('lines of results files', () => {
  it('reads a training and an evaluation line of AlfWorld', () => {
    const tail = 'avg step: 31.5   avg response length: 214.25   max_prompt_length: 1893'
    expect(
      parseResultsLine(
        'alfworld',
        `step: 12   acc: 0.4375   ${tail}   moved: 3   deleted: 1   missing: 0   skipped: 0`,
      ),
    ).toEqual({
      step: 12,
      acc: 0.4375,
      isEvaluation: false,
      averageSteps: 31.5,
      responseLength: 214.25,
      moved: 3,
      deleted: 1,
    })
    expect(parseResultsLine('alfworld', `step: 10   acc: 1.0   ${tail}`)).toMatchObject({ acc: 1, isEvaluation: true })
  })

  it('reads UT and Detect of a coding line, which is the same for training and evaluation', () => {
    const line =
      'train step: 3  GT-pass-all acc: 0.313000  avg length: 803.55  syn_ut_acc: 0.278000  perfect_ut_rate: 0.196000  (syn_ut_den_gt=512, syn_ut_den_gt_ngt=480)'
    expect(parseResultsLine('coding', line)).toEqual({
      step: 3,
      acc: 0.313,
      isEvaluation: null,
      responseLength: 803.55,
      tests: { ut: 0.278, utTests: 512, detect: 0.196, detectTests: 480 },
    })
  })

  it('reads the domains of an OSWorld line', () => {
    expect(
      parseResultsLine('osworld', '[EVAL 20] gimp:0.6500 libreoffice_calc:0.0780 vs_code:0.7170 ALL:0.3110'),
    ).toEqual({
      step: 20,
      acc: 0.311,
      isEvaluation: true,
      domains: { gimp: 0.65, libreoffice_calc: 0.078, vs_code: 0.717 },
    })
  })

  it.each([
    ['half a line', 'alfworld', 'step: 12   acc: 0.4375   avg step: 31.5   avg resp'],
    [
      'an invalid accuracy',
      'alfworld',
      'step: 1   acc: 7   avg step: 1   avg response length: 2   max_prompt_length: 3',
    ],
    ['a truncated OSWorld line', 'osworld', '[TRAIN 3] gimp:0.65'],
    ['a domain without a number', 'osworld', '[TRAIN 3] gimp: ALL:0.5'],
    ['words', 'coding', 'train step: three'],
  ] as const)('rejects %s', (_, system, line) => {
    expect(parseResultsLine(system, line)).toBeNull()
  })
})

describe('lines of a job log', () => {
  it('shows what a terminal finally shows', () => {
    expect(plainLine('\u001b[32m[policy] chunk 0/1 step 3/40\u001b[0m')).toBe('[policy] chunk 0/1 step 3/40')
    expect(plainLine(' 10%|#  | 1/10\r 20%|## | 2/10\r')).toBe(' 20%|## | 2/10')
    expect(plainLine('\u001b]0;title\u0007plain\ttext\u0000')).toBe('plain\ttext')
  })

  it.each([
    ['alfworld', '========== epoch 7 ==========', { kind: 'step', step: 7 }],
    ['alfworld', '[policy] chunk 1/2 step 3/40', { kind: 'phase', phase: 'rollout', done: 43, total: 80 }],
    ['osworld', '[PROGRESS] done 31/96', { kind: 'phase', phase: 'rollout', done: 31, total: 96 }],
    ['alfworld', '[reward] start generation...', { kind: 'phase', phase: 'judge', done: 0, total: 0 }],
    ['coding', '[env] generating 9 tasks x 3 rollouts = 27 ...', { kind: 'phase', phase: 'adapt', done: 0, total: 0 }],
    ['alfworld', 'All train nodes finished.', { kind: 'trained' }],
    ['alfworld', '[SKIP] reward train skipped: empty or missing ./x.json', { kind: 'trained' }],
    ['osworld', '[TRAIN 4] gimp:0.5000 ALL:0.5000', { kind: 'results', step: 4 }],
    [
      'coding',
      'Epoch 1/1:  30%|###  | 12/40 [00:31<01:10,  2.51s/it, loss=-1.2e-05]',
      { kind: 'loss', loss: -1.2e-5, done: 12, total: 40 },
    ],
    ['coding', 'INFO 01-02 vLLM started', null],
  ] as const)('%s: %s', (system, line, mark) => {
    expect(markOf(system, line)).toEqual(mark)
  })
})
