import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startGame } from '../../../../src/worlds/desktop/engine/state.ts'
import { DesktopEnvironment } from '../../../../src/worlds/desktop/environment.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { parseRewrite } from '../../../../src/worlds/desktop/rewrites/language.ts'
import { instructAuthor, instructPolicy, instructReward } from '../../../../src/worlds/desktop/roles/instruct-roles.ts'
import { stepIn } from '../../../../src/worlds/desktop/scene/dialects.ts'
import { centreOf, HEIGHT, scene, WIDTH } from '../../../../src/worlds/desktop/scene/scene.ts'
import { DIALECT_OF, type ScreenText } from '../../../../src/worlds/desktop/scene/screen-text.ts'
import type { DesktopTask } from '../../../../src/worlds/desktop/task.ts'
import type { DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { chatModels, hostileText } from '../../instruct/chat-models.ts'

const SCREENS: readonly ScreenText[] = ['text', 'marks', 'table', 'pixels']
const { pieces } = chatModels[0]!

/** The command as an agent with this screen writes it. */
function asWritten(state: DesktopState, command: string, screen: ScreenText): string {
  const name = /^(?:click|open) (.*)$/.exec(command)?.[1]
  const element = scene(state).find((each) => each.name === name)
  if (!element || screen === 'text') return command
  const { x, y } = centreOf(element.place)
  if (screen === 'marks') return `click ${element.mark}`
  const share = (part: number, whole: number) => Math.round((part * 1000) / whole)
  return screen === 'table' ? `click ${x} ${y}` : `click ${share(x, WIDTH)} ${share(y, HEIGHT)}`
}

describe.each(SCREENS)('the prompts of the desktop, shown as %s', (screen) => {
  const policy = instructPolicy(pieces, screen)

  it('explain commands with which every task is won', async () => {
    const environment = new DesktopEnvironment({ screen })
    for (const [index, task] of (await environment.sampleTasks('train', 12, 4)).entries()) {
      const episodeId = String(index)
      await environment.reset([{ episodeId, task, maxSteps: 20 }])
      const state = startGame((task.body as DesktopTask).game, { stepLimit: 20 })
      let won = false
      while (!state.done) {
        const command = asWritten(state, nextCommand(state)!, screen)
        const written = `Plain.\n\nAction: ${command[0]!.toUpperCase()}${command.slice(1)}`
        expect(policy.parse(written)).toEqual({ thought: 'Plain.', command })
        won = (await environment.step([{ episodeId, command }]))[0]!.won
        stepIn(state, command, DIALECT_OF[screen])
      }
      expect(won, task.instruction).toBe(true)
    }
  })

  it('show an example in the form that they ask for', () => {
    const example = /^Action: ([a-zA-Z0-9 ]+)/m.exec(policy.opening(''))![1]!
    expect(policy.parse(`Action: ${example}`).command).toBe(example)
    expect(example).toMatch(
      { text: /^click [A-Z]/, marks: /^click \d+$/, table: /^click \d+ \d+$/, pixels: /^click \d+ \d+$/ }[screen],
    )
  })
})

describe('the policy', () => {
  const { parse } = instructPolicy(pieces, 'text')
  it.each([
    ['Action: Click "tree.png"', 'click tree.png'],
    ['**Action:** `key Ctrl+S`', 'key ctrl s'],
    ['Action: Done.', 'done'],
    ['Action: type lake.png', 'type lake.png'],
    ["Action: type 'see you'", 'type see you'],
    ['I give up.', ''],
  ])('of %j writes %j', (said, command) => {
    expect(parse(said).command).toBe(command)
  })
})

describe('the author', () => {
  const prompt = instructAuthor(pieces).prompt({ description: 'Goal: x.', direction: 'easier', accuracy: 0, criticSummary: '' }) // prettier-ignore

  it('sees a readable example of every form of rewrite', () => {
    const examples = [...prompt.matchAll(/^- (.+?) \((?:harder|easier|harder or easier)\): /gm)].map(([, example]) => example!) // prettier-ignore
    expect(examples.map((example) => parseRewrite(example)?.kind)).toEqual(['set', 'add-hint', 'remove-hints', 'front', 'blank', 'show', 'add-files', 'remove-file', 'move-file', 'bury', 'raise']) // prettier-ignore
  })
})

it.each(chatModels)('no text of the desktop or of an agent puts a special token into a prompt for $name', (model) => {
  const policy = instructPolicy(model.pieces, 'marks')
  const reward = instructReward(model.pieces)
  const none = model.controlTokens(policy.opening(''))
  const judged = model.controlTokens(reward.opening('') + reward.cue)
  fc.assert(
    fc.property(hostileText, hostileText, (text, response) => {
      expect(model.controlTokens(policy.opening(text))).toEqual(none)
      const prompt = reward.opening(text) + reward.step({ response, observation: text }) + reward.cue
      expect(model.controlTokens(prompt)).toEqual(judged)
    }),
    { numRuns: 100 },
  )
})
