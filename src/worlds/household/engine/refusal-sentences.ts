/** Refusals in words. They repeat nothing that was typed except names that exist. */
import { refusalOf, type Refusal } from './refusals.ts'
import { worldOf } from './rooms.ts'
import type { GameState } from './state.ts'
import { applianceType, knifeTypes, type Treatment } from './vocabulary.ts'

const pastOf: Readonly<Record<Treatment, string>> = { clean: 'cleaned', heat: 'heated', cool: 'cooled' }

function refusalSentence(state: GameState, refusal: Refusal): string {
  const world = worldOf(state.game)
  const name = (receptacle: number) => world.receptacles[receptacle]!.name
  const thing = (object: number) => world.objects[object]!.name
  switch (refusal.kind) {
    case 'over':
      return 'The game is over.'
    case 'silent':
      return 'There was no command.'
    case 'unknown':
      return `That is not understood; try "${refusal.form}".`
    case 'incomplete':
      return `The whole command is "${refusal.form}".`
    case 'other-dialect':
      return `Here the command is "${refusal.form}".`
    case 'misspelt':
      return `It has to be written "${refusal.command}".`
    case 'unnumbered':
      return `Say which one by its number, as in "${name(refusal.receptacle)}".`
    case 'no-receptacle':
      return 'There is no receptacle of that name here.'
    case 'already-there': {
      const { receptacle, sharedWith } = refusal
      const others = sharedWith.map((other) => `the ${name(other)}`).join(' and ')
      return `You are already at the ${name(receptacle)}${others && `, which shares its place with ${others}`}.`
    }
    case 'elsewhere':
      return `You are not at the ${name(refusal.receptacle)}; go to it first.`
    case 'not-openable':
      return `The ${name(refusal.receptacle)} cannot be opened or closed.`
    case 'already-open':
      return `The ${name(refusal.receptacle)} is already open.`
    case 'already-closed':
      return `The ${name(refusal.receptacle)} is already closed.`
    case 'closed':
      return `The ${name(refusal.receptacle)} is closed; open it first.`
    case 'hand-full':
      return `Your hand already holds the ${thing(refusal.held)}.`
    case 'not-held':
      return refusal.held < 0 ? 'Your hand is empty.' : `You do not hold that, but the ${thing(refusal.held)}.`
    case 'not-seen':
      return `You see nothing of that name at the ${name(refusal.receptacle)}.`
    case 'fixed':
      return `The ${thing(refusal.object)} cannot be picked up.`
    case 'not-accepted':
      return `The ${name(refusal.receptacle)} is no place for the ${thing(refusal.object)}.`
    case 'wrong-appliance':
      return `Nothing is ${pastOf[refusal.treatment]} with the ${name(refusal.receptacle)}; use a ${applianceType[refusal.treatment]}.`
    case 'untreatable':
      return `The ${thing(refusal.object)} cannot be ${pastOf[refusal.treatment]}.`
    case 'no-lamp':
      return 'Only lamps can be used.'
    case 'lamp-elsewhere':
      return 'There is no such lamp at this place.'
    case 'not-examinable':
      return 'Only receptacles at this place and what is in your hand can be examined.'
    case 'blunt':
      return `The ${thing(refusal.held)} does not slice; it takes a ${[...knifeTypes].join(' or a ')}.`
    case 'not-sliceable':
      return 'That cannot be sliced.'
    case 'not-at-hand':
      return 'That cannot be sliced from here.'
  }
}

/** One short sentence that explains why a command is refused. */
export function reasonFor(state: GameState, line: string): string {
  return refusalSentence(state, refusalOf(state, line))
}
