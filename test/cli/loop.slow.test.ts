import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLoopArguments } from '../../src/cli/loop/arguments.ts'
import { findCheckpoint } from '../../src/cli/loop/resume.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { writeInstructFolder } from '../engines/transformer/instruct-folder.ts'
import { SMALL, useCompiledLoop } from './loop-process.ts'
import { smallRelease } from '../worlds/household/library/release.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shipped = join(root, 'public/models')
/** Arguments for a run that need not measure its models. */
const UNMEASURED = ['--set', 'evaluateEvery=0']

describe('the loop on the command line', () => {
  const loop = useCompiledLoop()
  let folder: string
  let models: string
  const eventsOf = (file: string) => parseRunLog(readFileSync(join(folder, file), 'utf8'))
  /** What the policy did in training. */
  const played = (file: string, iteration = 1) =>
    eventsOf(file).filter(
      (event) => event.type === 'episode' && event.split === 'train' && event.iteration === iteration,
    )

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loop-'))
    models = await writeTinyModels()
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
    rmSync(models, { recursive: true })
  })

  it('writes the same log for the same seed, byte for byte, on one sampler or three, and a different one for another seed', async () => {
    const run = (seed: number, file: string, ...more: string[]) =>
      loop(
        ...['--models', shipped, '--backend', 'cpu', '--seed', String(seed), ...SMALL, '--set', 'evaluateEvery=2'],
        ...['--out', join(folder, file), ...more],
      )
    const [first, second, other] = await Promise.all([
      run(1, 'a.jsonl', '--iterations', '2'),
      run(1, 'b.jsonl', '--iterations', '2', '--samplers', '3'),
      run(2, 'c.jsonl', '--iterations', '1', ...UNMEASURED),
    ])
    expect([first.stderr, first.code, second.code, other.code]).toEqual(['', 0, 0, 0])
    const log = readFileSync(join(folder, 'a.jsonl'), 'utf8')
    expect(readFileSync(join(folder, 'b.jsonl'), 'utf8')).toBe(log)
    expect(log).not.toContain(folder)

    const events = parseRunLog(log)
    expect(events.filter((event) => event.type === 'iteration-finished')).toHaveLength(2)
    expect(events.some((event) => event.type === 'model-updated')).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
    expect(readFileSync(join(folder, 'a.timings.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
    expect(played('c.jsonl')).toHaveLength(6)
    expect(played('c.jsonl')).not.toEqual(played('a.jsonl'))
  })

  it('selects the CPU without a graphics adapter, with the same log as --backend cpu', async () => {
    const run = (backend: string) =>
      loop(
        ...['--models', models, '--backend', backend, '--iterations', '1', ...SMALL, ...UNMEASURED],
        ...['--out', join(folder, `${backend}.jsonl`)],
      )
    const [auto, cpu] = await Promise.all([run('auto'), run('cpu')])
    expect([auto.code, cpu.code, cpu.stderr]).toEqual([0, 0, ''])
    const chosen = /^Backend: (cpu|webgpu), because /.exec(auto.stderr)?.[1]
    const log = readFileSync(join(folder, 'auto.jsonl'), 'utf8')
    expect(parseRunLog(log)[0]).toMatchObject({ type: 'run-started', backend: chosen })
    expect(log).not.toContain('tokens/s')
    if (chosen === 'cpu') expect(log).toBe(readFileSync(join(folder, 'cpu.jsonl'), 'utf8'))
  })

  it('plays chat models of Hugging Face folders in every role, with adapters that learn', async () => {
    const chat = join(folder, 'chat-model')
    await writeInstructFolder(chat)
    const roles = ['--policy-model', chat, '--reward-model', chat, '--author-model', chat]
    const run = (file: string, ...more: string[]) =>
      loop(
        ...[...roles, '--lora', 'rank=2,targets=q_proj+v_proj', '--models', 'nowhere', '--backend', 'cpu'],
        ...['--iterations', '1', ...SMALL, ...UNMEASURED, '--out', join(folder, file), ...more],
      )
    const [{ code, stderr }, again, desktop, refused] = await Promise.all([
      run('chat.jsonl', '--save', join(folder, 'adapters')),
      run('chat-again.jsonl'),
      run('chat-desktop.jsonl', '--preset', 'desktop', '--set', 'screen=marks', '--set', 'maxSteps=1'),
      loop('--preset', 'desktop', '--set', 'screen=marks', '--models', models),
    ])
    expect([again.code, desktop.code]).toEqual([0, 0])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Models: policy chat-model \([\d,]+ parameters, 224 trainable\), reward chat-model \(.*\), author chat-model \([\d,]+ parameters\)\.\n$/,
      ),
    ])
    const log = readFileSync(join(folder, 'chat.jsonl'), 'utf8')
    expect(parseRunLog(log)[0]).toMatchObject({ models: { policy: 'chat-model', author: 'chat-model' } })
    expect(log).not.toContain(folder)
    const { tensors } = readSafetensors(
      readFileSync(join(folder, 'adapters', 'optimizer', 'reward.safetensors')),
      'saved',
    )
    expect([...tensors.keys()].every((name) => name.includes('.lora_'))).toBe(true)
    expect(readFileSync(join(folder, 'chat-again.jsonl'), 'utf8')).toBe(log)

    // The desktop, on which the numbered list of what can be clicked follows every observation.
    const events = eventsOf('chat-desktop.jsonl')
    const opening = events.find((event) => event.type === 'episode')!.opening
    expect(opening).toMatch(/^Desktop: Files, .*\n1 \S+ /s)
    expect(events.filter(({ type }) => type === 'judged')).toHaveLength(6)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('only chat models can read')])
  })

  it('resumes from its checkpoint with the same log, after a kill too, and refuses the arguments of another run', async () => {
    const args = (file: string, iterations: number, ...more: string[]) => [
      ...['--models', models, '--backend', 'cpu', '--iterations', String(iterations), ...SMALL, '--set', 'maxSteps=2'],
      ...['--out', join(folder, `${file}.jsonl`), '--save', join(folder, file), ...more],
    ]
    const [, first] = await Promise.all([loop(...args('straight', 2)), loop(...args('resumed', 1, '--resume'))])
    const straight = readFileSync(join(folder, 'straight.jsonl'), 'utf8')
    expect([first.code, first.stderr]).toEqual([0, 'No checkpoint yet: the run starts.\n'])
    // A killed process leaves events after its checkpoint, and half a line.
    const log = join(folder, 'resumed.jsonl')
    writeFileSync(log, `${readFileSync(log, 'utf8')}{"type":"iteration-sta`)
    const { code, stderr } = await loop(...args('resumed', 2, '--resume', '--samplers', '2'))
    expect([code, stderr]).toEqual([0, 'Resuming after iteration 1.\n'])
    expect(readFileSync(log, 'utf8')).toBe(straight)
    expect(readFileSync(join(folder, 'resumed.timings.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
    for (const file of ['policy/model.safetensors', 'reward/model.safetensors', 'optimizer/policy.safetensors'])
      expect(
        readFileSync(join(folder, 'resumed', file)).equals(readFileSync(join(folder, 'straight', file))),
        file,
      ).toBe(true)

    const done = await loop(...args('resumed', 2, '--resume'))
    expect([done.code, done.stdout, done.stderr]).toEqual([
      0,
      '',
      'The run already has 2 iterations; raise --iterations to continue.\n',
    ])
    expect(readFileSync(log, 'utf8')).toBe(straight)
    const other = await loop(...args('resumed', 3, '--resume', '--set', 'lambda=2'))
    expect([other.code, other.stderr]).toEqual([
      2,
      '--resume: the run started with lambda=1, not 2. Repeat its arguments.\n',
    ])
    const found = (runId: string) =>
      findCheckpoint(runId, parseLoopArguments(args('resumed', 3, '--resume'))!, { inputs: {} })
    await expect(found('household-s5')).rejects.toThrow(
      /^--resume: .* has a checkpoint of run household-s0, and these arguments are of household-s5\./,
    )
    writeFileSync(log, straight.split('\n').slice(0, 3).join('\n') + '\n')
    await expect(found('household-s0')).rejects.toThrow('is not the log of the checkpoint in')
  })

  it('starts from the models of another run, by --models or by role', async () => {
    const run = (file: string, ...more: string[]) =>
      loop(...['--backend', 'cpu', '--iterations', '1', ...SMALL, ...UNMEASURED, '--out', join(folder, file), ...more])
    const saved = join(folder, 'start')
    await run('start.jsonl', '--models', shipped, '--save', saved, '--set', 'policyLearningRate=0.01')
    const roles = ['--policy-model', join(saved, 'policy'), '--reward-model', join(saved, 'reward'), '--lora', 'none']
    const [{ code, stderr }] = await Promise.all([
      run('from-models.jsonl', '--models', saved),
      run('from-roles.jsonl', ...roles),
    ])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Models: policy start\/policy \(.*\), reward start\/reward \(.*\), author household-author \(.*\)\.\n$/,
      ),
    ])
    const log = readFileSync(join(folder, 'from-models.jsonl'), 'utf8')
    expect(readFileSync(join(folder, 'from-roles.jsonl'), 'utf8')).toBe(log)
    expect(log).not.toContain(folder)
    // Same seed, but the models of the first run had not learned yet.
    expect(played('from-models.jsonl')).toHaveLength(6)
    expect(played('from-models.jsonl')).not.toEqual(played('start.jsonl'))
  })

  it('plays the games of a folder, and names files that are not games', async () => {
    const games = join(folder, 'games')
    const cut = Array.from({ length: 8 }, (_, i) => ({ path: `json_2.1.1/train/cut-${i}/game.tw-pddl`, text: '{' }))
    for (const { path, text } of [...smallRelease(), ...cut]) {
      mkdirSync(dirname(join(games, path)), { recursive: true })
      writeFileSync(join(games, path), text)
    }
    const out = join(folder, 'games.jsonl')
    const run = (file: string) =>
      loop(
        '--models',
        models,
        '--backend',
        'cpu',
        '--iterations',
        '1',
        '--games',
        games,
        ...SMALL,
        '--set',
        'taskPoolSize=50',
        '--out',
        file,
      )
    const [{ code, stderr }] = await Promise.all([run(out), run(join(folder, 'again.jsonl'))])
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length]).toEqual([0, 7])
    expect(lines.slice(0, 5).every((line) => /^Left out .*cut-\d\/game\.tw-pddl: It is not JSON/.test(line))).toBe(true)
    expect(lines.slice(5)).toEqual(['Skipped 3 more.', 'Imported 11 games: 6 train, 3 valid_seen, 2 valid_unseen.'])

    const events = parseRunLog(readFileSync(out, 'utf8'))
    expect(events[0]).toMatchObject({ type: 'run-started', settings: { games: 'official' } })
    const tasks = events.flatMap((event) => (event.type === 'task-added' ? [event.task.id] : []))
    expect(tasks).toHaveLength(6)
    for (const id of tasks) expect(id).toMatch(/\/trial_T[1-6]$/)
    const evaluated = events.flatMap((event) => (event.type === 'evaluation' && event.temperature === 0 ? [event] : []))
    expect(evaluated.map(({ episodes }) => episodes)).toEqual([2, 2, 2, 2])

    expect(readFileSync(join(folder, 'again.jsonl'), 'utf8')).toBe(readFileSync(out, 'utf8'))
  })

  it('writes the same log of programs and tests for the same seed, byte for byte, with Code on stdout', async () => {
    const run = (seed: number, file: string, ...more: string[]) =>
      loop(
        ...['--preset', 'coding', '--models', models, '--backend', 'cpu', '--seed', String(seed), ...SMALL],
        ...['--set', 'evaluationTasks=1', '--set', 'evaluationRollouts=1', '--out', join(folder, file), ...more],
      )
    const [first, second, other] = await Promise.all([
      run(1, 'code-a.jsonl', '--iterations', '2'),
      run(1, 'code-b.jsonl', '--iterations', '2'),
      run(2, 'code-c.jsonl', '--iterations', '1', ...UNMEASURED),
    ])
    expect([first.stderr, first.code, second.code, other.code]).toEqual(['', 0, 0, 0])
    const log = readFileSync(join(folder, 'code-a.jsonl'), 'utf8')
    expect(readFileSync(join(folder, 'code-b.jsonl'), 'utf8')).toBe(log)
    expect(played('code-c.jsonl')).toHaveLength(6)
    expect(played('code-c.jsonl')).not.toEqual(played('code-a.jsonl'))

    const events = parseRunLog(log)
    expect(events[0]).toMatchObject({
      settings: { world: 'coding', problems: 'generated' },
      models: { policy: 'coding-policy', reward: 'coding-reward', author: 'coding-author' },
    })
    const written = events.filter((event) => event.type === 'tests-written' && event.split === 'train')
    expect(written).toHaveLength(2 * 2)
    // Untrained models write no valid programs, but the judge runs what they write.
    const steps = events.flatMap((event) => (event.type === 'episode' ? event.steps : []))
    expect(new Set(steps.flatMap(({ tests }) => tests!.map(({ passed }) => passed)))).toEqual(new Set([false]))
    expect(
      first.stdout.split('\n').filter((line) => /^evaluation after \d: id Code .*, ood Code /.test(line)),
    ).toHaveLength(3)
  })

  it('poses the problems of a file, and names items that are not problems', async () => {
    const item = { test_method: 'stdio', test_time_limit: 1, test_input: ['1'], test_output: ['1'] }
    const items = [
      ...[1, 2, 3].map((index) => ({ ...item, question: `Print 1 in way ${index}.`, split: 'train' })),
      { ...item, question: 'Print it otherwise.', split: 'id' },
      { ...item, question: '' },
    ]
    const file = join(folder, 'problems.jsonl')
    const out = join(folder, 'problems-run.jsonl')
    const run = (path: string) =>
      loop(
        ...['--preset', 'coding', '--problems', path, '--models', models, '--backend', 'cpu', '--iterations', '1'],
        ...[...SMALL, '--out', out],
      )
    writeFileSync(file, items.map((each) => `${JSON.stringify(each)}\n`).join(''))
    const { code, stderr } = await run(file)
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length, lines[1]]).toEqual([0, 2, 'Imported 4 problems: 3 train, 1 id.'])
    expect(lines[0]).toMatch(/^Left out: .*question/)
    const events = parseRunLog(readFileSync(out, 'utf8'))
    const tasks = events.flatMap((event) => (event.type === 'task-added' ? [event.task.instruction] : []))
    expect(tasks.sort()).toEqual([1, 2, 3].map((index) => `Print 1 in way ${index}.`))
    const evaluated = events.flatMap((event) => (event.type === 'evaluation' && event.temperature === 0 ? [event] : []))
    expect(evaluated.map(({ split }) => split)).toEqual(['id', 'id'])

    writeFileSync(file, JSON.stringify({ ...item, question: 'Print 1.', split: 'ood' }))
    const untrained = await run(file)
    expect([untrained.code, untrained.stderr]).toEqual([
      2,
      'Imported 1 problems: 1 ood.\n--problems: The run uses imported problems, but none of the 1 is for training.\n',
    ])
  })

  it('ends with code 2 and one line if an argument is wrong or the models are missing', async () => {
    const [wrong, nowhere, uncoded, gameless, problemless, empty] = await Promise.all([
      loop('--backend', 'abacus'),
      loop('--models', folder),
      loop('--models', folder, '--preset', 'coding'),
      loop('--games', join(folder, 'nowhere')),
      loop('--preset', 'coding', '--problems', join(folder, 'nowhere')),
      loop('--games', models),
    ])
    for (const { code, stdout, stderr } of [wrong, nowhere, uncoded, gameless, problemless, empty]) {
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1])
    }
    expect(wrong.stderr).toContain('auto, cpu, webgpu')
    expect(nowhere.stderr).toContain('npm run pretrain')
    expect(uncoded.stderr).toContain('coding-policy')
    expect(gameless.stderr).toContain('No such file or folder.')
    expect(problemless.stderr).toContain('No such file or folder.')
    expect(empty.stderr).toContain('there is no game in')
  })
})
