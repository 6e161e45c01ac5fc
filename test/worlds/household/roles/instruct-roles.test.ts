import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admissibleCommands } from '../../../../src/worlds/household/engine/commands.ts'
import { HouseholdEnvironment } from '../../../../src/worlds/household/environment.ts'
import { playExpert } from '../../../../src/worlds/household/planning/expert.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import {
  instructAuthor,
  instructPolicy,
  instructReward,
} from '../../../../src/worlds/household/roles/instruct-roles.ts'
import { openingText } from '../../../../src/worlds/household/engine/observations.ts'
import { refusalOf } from '../../../../src/worlds/household/engine/refusals.ts'
import { parseRewrite } from '../../../../src/worlds/household/rewrites/language.ts'
import { MOST_DISTRACTORS } from '../../../../src/worlds/household/rewrites/language.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { initialKnowledge, taskOf } from '../../../../src/worlds/household/task.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import type { ChatMessage } from '../../../../src/language-model/tokens/chat-template.ts'
import { chatModels, expectRendered, hostileText } from '../../instruct/chat-models.ts'

const game = generateGame({ seed: 3, split: 'train', sceneSize: 'compact' })
const author = { direction: 'easier', accuracy: 0.126, criticSummary: 'nothing happened x12' } as const
const steps = fc.array(fc.record({ response: hostileText, observation: hostileText }), { maxLength: 3 })

describe.each(chatModels)('the household prompts for a model like $name', (model) => {
  const { pieces, render, controlTokens } = model
  const policy = instructPolicy(pieces)
  const reward = instructReward(pieces)
  const { start, systemEnd, responseCue } = pieces

  it('equals the conversation that its chat template renders', () => {
    expectRendered(model, {
      opening: policy.opening('You are in the middle of a room.'),
      user: 'Game: You are',
      response: 'Action: look',
      later: policy.afterResponse('You see a mug 1.'),
    })
  })

  it('equals the judge prompt that the template renders, with any number of steps', () => {
    const step = { response: 'Look.\nAction: look', observation: 'You see a mug 1.' }
    for (const count of [1, 3]) {
      const prompt = reward.opening('A room.') + reward.step(step).repeat(count) + reward.cue
      const at = prompt.indexOf('Game: A room.')
      const messages: ChatMessage[] = [
        { role: 'system', content: prompt.slice(start.length, at - systemEnd.length) },
        { role: 'user', content: prompt.slice(at, prompt.length - responseCue.length) },
      ]
      expect(prompt).toBe(render(messages, true))
      expect(prompt.split('> Action: look')).toHaveLength(count + 1)
    }
  })

  it('has the same special tokens, whatever untrusted text contains', () => {
    const rewriter = instructAuthor(pieces)
    const ofOpening = controlTokens(policy.opening(''))
    const ofTurn = controlTokens(policy.afterResponse(''))
    const ofJudging = controlTokens(reward.opening('') + reward.cue)
    const ofRewriting = controlTokens(rewriter.prompt({ ...author, description: '' }))
    expect(ofOpening.length).toBeGreaterThan(3)
    fc.assert(
      fc.property(hostileText, steps, (text, said) => {
        expect(controlTokens(policy.opening(text))).toEqual(ofOpening)
        expect(controlTokens(policy.afterResponse(text))).toEqual(ofTurn)
        const judged = reward.opening(text) + said.map((step) => reward.step(step)).join('') + reward.cue
        expect(controlTokens(judged)).toEqual(ofJudging)
        const written = rewriter.prompt({ ...author, description: text, criticSummary: said[0]?.response ?? '' })
        expect(controlTokens(written)).toEqual(ofRewriting)
      }),
      { numRuns: 100 },
    )
  })
})

const { pieces } = chatModels[0]!
const policy = instructPolicy(pieces)
const reward = instructReward(pieces)
const rewriter = instructAuthor(pieces)

describe('the policy', () => {
  it('plays a game to its end with answers in the requested form', async () => {
    const state = startGame(game, { stepLimit: 50 })
    const { commands } = playExpert(state, initialKnowledge(taskOf(game)), seededRandom(1))
    const environment = new HouseholdEnvironment({ games: { sample: async () => [game] } })
    const [task] = await environment.sampleTasks('train', 1, 1)
    await environment.reset([{ episodeId: 'e', task: task!, maxSteps: 50 }])
    let won = false
    for (const command of commands) {
      const response = `The next thing to do is plain.\n\nAction: ${command[0]!.toUpperCase()}${command.slice(1)}.`
      const parsed = policy.parse(response)
      expect(parsed).toEqual({ thought: 'The next thing to do is plain.', command })
      const results = await environment.step([{ episodeId: 'e', command: parsed.command }])
      won = results[0]!.won
    }
    expect(won).toBe(true)
  })

  it.each(['v1', 'v2'] as const)('sees commands that the %s game accepts', (dialect) => {
    const opening = instructPolicy(pieces, { dialect }).opening('')
    const state = startGame(game, { stepLimit: 50, dialect })
    const lines = opening.split('\n').filter((line) => line.startsWith('- '))
    const forms = lines.flatMap((line) => line.slice(2).split(/: /)[0]!.split(', '))
    expect(forms.length).toBeGreaterThan(12)
    const admissible = admissibleCommands(state)
    for (const form of forms) {
      if (admissible.includes(form)) continue
      const { kind } = refusalOf(state, form.replace(/[()]/g, ''))
      expect(['unknown', 'other-dialect', 'incomplete'], `${form}: ${kind}`).not.toContain(kind)
    }
    expect(opening).toContain(dialect === 'v1' ? 'put (object) in/on (receptacle)' : 'move (object) to (receptacle)')
  })

  it('reads the room and the task, without the greeting', () => {
    const opening = policy.opening(openingText(startGame(game, { stepLimit: 50 })))
    expect(opening).toContain('Game: You are in the middle of a room.')
    expect(opening).toContain('Your task is to: ')
    expect(opening).not.toContain('Welcome')
  })

  it('finds no command in a response without its line', () => {
    expect(policy.parse(' I wonder about going to shelf 1. ')).toEqual({
      thought: 'I wonder about going to shelf 1.',
      command: '',
    })
  })
})

describe('the judge', () => {
  it('can distinguish the game’s answers from quotations of them by the agent', () => {
    fc.assert(
      fc.property(steps, (said) => {
        const prompt = reward.opening('A room.') + said.map((step) => reward.step({ ...step, observation: 'Nothing happens.' })).join('') // prettier-ignore
        const lines = prompt.slice(prompt.indexOf('Game: A room.')).split(/[\n\r\v\f\u0085\u2028\u2029]/)
        expect(lines.filter((line) => line.startsWith('Game: '))).toHaveLength(said.length + 1)
      }),
    )
  })

  it('reads long responses and observations without their middle', () => {
    const long = `start ${'x'.repeat(9000)} end`
    const step = reward.step({ response: long, observation: long })
    expect(step.length).toBeLessThan(4100)
    expect(step.match(/start x+…x+ end/g)).toHaveLength(2)
  })

  it('reads the requested form, and that of our small models', () => {
    expect(reward.parse('The mug was seen there.\nScore: 1')).toEqual({
      reasoning: 'The mug was seen there.',
      score: 1,
    })
    expect(reward.parse(' place seen before; score -1')).toEqual({ reasoning: 'place seen before', score: -1 })
  })
})

describe('the author', () => {
  const prompt = rewriter.prompt({ ...author, description: 'Goal: put a mug in cabinet.' })

  it('sees a readable example of every form of rewrite', () => {
    const examples = [...prompt.matchAll(/^- ([a-z0-9 ]+) \((harder|easier|harder or easier)\): /gm)].map(([, example]) => example!) // prettier-ignore
    const kinds = examples.map((example) => parseRewrite(example)?.kind)
    expect(new Set(kinds)).toEqual(
      new Set(['change-goal', 'add-hint', 'remove-hints', 'add-distractors', 'remove-object', 'open', 'close', 'move']),
    )
    expect(prompt).toContain(`1 to ${MOST_DISTRACTORS} other objects`)
  })

  it('reads the task, its accuracy, the direction and the critic’s summary, if any', () => {
    expect(prompt).toContain('Goal: put a mug in cabinet.')
    expect(prompt).toContain('solves 13 % of its attempts. Make the task easier.')
    expect(prompt).toContain('nothing happened x12')
    expect(rewriter.prompt({ ...author, criticSummary: '', description: '' })).not.toContain('The critic,')
    const summarised = rewriter.prompt({
      ...author,
      criticSummary: 'It waits.',
      description: '',
      criticWriter: 'author',
    })
    expect(summarised).toContain('The critic, in summary: It waits.')
  })

  it.each([
    ['The mug is hard to find.\nRewrite: hint mug 1', 'hint mug 1'],
    ['Rewrite: `move mug 1 to drawer 2`.', 'move mug 1 to drawer 2'],
    ['So:\n**Rewrite:** no hints', 'no hints'],
    ['goal mug cabinet', 'goal mug cabinet'],
    ['I think about it.\n\nadd 3\n', 'add 3'],
    ['', ''],
  ])('of %j rewrites by %j', (text, rewrite) => {
    expect(rewriter.parse(text)).toBe(rewrite)
  })
})

it('reads any text, and invents nothing', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const { thought, command } = policy.parse(text)
      expect(text).toContain(thought)
      expect(text.toLowerCase().replace(/\s+/g, ' ')).toContain(command)
      expect([-1, 0, 1]).toContain(reward.parse(text).score)
      expect(text).toContain(rewriter.parse(text))
    }),
    { numRuns: 1000 },
  )
})
