/** The verbs of commands, and which one a word means that is none of them. */
import type { Dialect } from './state.ts'
import type { Treatment } from './vocabulary.ts'

export type Verb = 'look' | 'inventory' | 'help' | 'go' | 'open' | 'close' | 'examine' | 'take' | 'move' | Treatment | 'use' | 'slice' // prettier-ignore

const forms: Readonly<Record<Verb, string>> = {
  look: 'look',
  inventory: 'inventory',
  help: 'help',
  go: 'go to (receptacle)',
  open: 'open (receptacle)',
  close: 'close (receptacle)',
  examine: 'examine (something)',
  take: 'take (object) from (receptacle)',
  move: 'move (object) to (receptacle)',
  clean: 'clean (object) with (receptacle)',
  heat: 'heat (object) with (receptacle)',
  cool: 'cool (object) with (receptacle)',
  use: 'use (object)',
  slice: 'slice (object) with (object)',
}

const verbs = Object.keys(forms) as Verb[]

/** Other first words that people use for each command. */
const synonyms: Readonly<Record<Verb, string>> = {
  look: 'l observe where',
  inventory: 'i inv carry carrying',
  help: 'help commands',
  go: 'goto walk run enter approach visit return',
  open: 'unlock',
  close: 'shut',
  examine: 'x inspect check search read describe',
  take: 'pick get grab fetch hold',
  move: 'put place drop insert leave set store',
  clean: 'wash rinse wipe',
  heat: 'warm cook bake microwave boil',
  cool: 'chill freeze',
  use: 'turn switch toggle light activate',
  slice: 'cut chop',
}

const verbOfSynonym = new Map(verbs.flatMap((verb) => synonyms[verb].split(' ').map((word) => [word, verb] as const)))

/** How a command of this verb is written. */
export function formOf(verb: Verb, dialect: Dialect): string {
  return verb === 'move' && dialect === 'v1' ? 'put (object) in/on (receptacle)' : forms[verb]
}

/** The verb for the first word of a command in this dialect; null if there is none. */
export function verbOf(word: string, dialect: Dialect): Verb | null {
  if (dialect === 'v1' && (word === 'put' || word === 'move' || word === 'help')) return word === 'put' ? 'move' : null
  return verbs.find((verb) => verb === word) ?? null
}

/** The verb whose name or synonym is most similar to the line's first word; the overview if none is similar. */
export function nearestVerb(text: string, dialect: Dialect): Verb {
  const overview = dialect === 'v1' ? 'look' : 'help'
  const word = text.trim().toLowerCase().split(/\s/, 1)[0]!.slice(0, 20)
  const meant = verbOfSynonym.get(word)
  if (meant) return meant === 'help' ? overview : meant
  let nearest: Verb = overview
  let least = Math.min(3, word.length)
  for (const verb of verbs) {
    const distance = editDistance(word, verb)
    if (distance < least) [nearest, least] = [verb === 'help' ? overview : verb, distance]
  }
  return nearest
}

/** Characters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
