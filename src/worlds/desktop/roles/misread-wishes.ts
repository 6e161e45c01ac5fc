/**
 * Another wish on the same desktop, as if the task had been misread: another thing, another value, or something else to do in the
 * same application. Its steps look purposeful but do not lead to the goal.
 */
import { chance, pick, shuffled, type Random } from '../../random.ts'
import type { DesktopGame, Wish } from '../engine/game.ts'
import { templateNamed, TEMPLATES, composeGame } from '../generator/templates.ts'
import type { Template } from '../generator/template.ts'
import { ENDINGS, NOUNS } from '../generator/words.ts'

/** Share of misread tasks that differ in one word only. */
const ONE_PART = 0.5
/** Share of the others that ask for the same kind of thing. */
const SAME_KIND = 0.6
const ATTEMPTS = 20

/** The desktop and everything on it are the game's own. Null if no other wish was found. */
export function misreadGame(game: DesktopGame, random: Random): DesktopGame | null {
  const own = templateNamed(game.wish.template)
  const related = TEMPLATES.filter(({ domain }) => domain === own.domain)
  const told = JSON.stringify(game.wish)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const wish = chance(random, ONE_PART)
      ? withOnePart(game, drawn(own, game, random), random)
      : drawn(chance(random, SAME_KIND) ? own : pick(random, related), game, random)
    if (!wish || JSON.stringify(wish) === told) continue
    const other = composeGame({ ...game, wish, isHinted: false })
    if (other) return other
  }
  return null
}

function drawn(template: Template, { desktop, start }: DesktopGame, random: Random): Wish | null {
  const known = new Set([...start.files.map(({ name }) => name), ...desktop.recentFiles])
  const names = shuffled(random, NOUNS).map((noun) => `${noun}.${pick(random, ENDINGS)}`)
  const freeNames = names.filter((name) => !known.has(name))
  return template.draw({ desktop, facts: start, freeNames, random }, random)
}

/** The game's wish with one parameter of another. */
function withOnePart({ wish }: DesktopGame, other: Wish | null, random: Random): Wish | null {
  const parts = Object.entries(other?.parameters ?? {})
  if (parts.length === 0) return null
  return { ...wish, parameters: { ...wish.parameters, ...Object.fromEntries([pick(random, parts)]) } }
}
