import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { publishedLog } from '../../src/runs/published-log.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { tokenExcerpt } from '../../src/runs/token-excerpt.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { logOf, request, smallSettings, world } from '../method/corridor.ts'

const episodesOf = (log: readonly LoggedEvent[]) => log.filter((event) => event.type === 'episode')

describe('the tokens beside a published log', () => {
  it('are those of the episodes that it keeps, step by step, and nothing else', async () => {
    const whole = await logOf(world(), request(smallSettings({ tasksPerIteration: 3 }), { iterations: 2 }))
    const published = publishedLog(whole, { groups: 1 })
    const excerpt = parseRunLog(serialiseRunLog(tokenExcerpt(whole, published)))
    expect(excerpt.map(({ type }) => type)).toEqual(['run-started', ...episodesOf(published).map(({ type }) => type)])
    const original = new Map(episodesOf(whole).map((episode) => [episode.episodeId, episode]))
    for (const { episodeId, steps, opening } of episodesOf(excerpt)) {
      const { steps: all } = original.get(episodeId)!
      expect(steps.map(({ tokens }) => tokens)).toEqual(all.map(({ tokens }) => tokens))
      const differences = steps.flatMap(({ logProbs }, s) => logProbs.map((each, t) => each - all[s]!.logProbs[t]!))
      expect(Math.max(...differences.map(Math.abs))).toBeLessThan(0.000501)
      expect(opening + steps.map(({ response, observation }) => response + observation).join('')).toBe('')
    }
  })

  it.each(SHIPPED_WORLDS)('belong to the recorded run of the %s', (name) => {
    const read = (file: string) => parseRunLog(gunzipSync(readFileSync(`public/runs/${file}.jsonl.gz`)).toString())
    const tokens = new Map(episodesOf(read(`${name}-tokens`)).map((episode) => [episode.episodeId, episode]))
    const shown = episodesOf(read(name))
    expect(tokens.size).toBe(shown.length)
    for (const { episodeId, steps } of shown)
      expect(tokens.get(episodeId)?.steps.map(({ tokens }) => tokens.length > 0)).toEqual(steps.map(() => true))
  })
})
