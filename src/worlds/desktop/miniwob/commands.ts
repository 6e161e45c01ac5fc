/** Commands as models and people write them. */
import type { PageCommand, Place } from './protocol.ts'

const KEYS = [
  ...['Enter', 'Escape', 'Tab', 'Backspace', 'Delete', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
] as const
export const KEY_NAMES: readonly string[] = [...KEYS, 'Space']

/** Null where it is no command. */
export function parseCommand(text: string): PageCommand | null {
  const [, verb = '', rest = ''] = /^\s*(\S+) ?(.*?)\s*$/s.exec(text) ?? []
  switch (verb.toLowerCase()) {
    case 'click':
    case 'hover':
    case 'select': {
      const [at, ...others] = placesOf(rest)
      return at && others.length === 0 ? { kind: verb.toLowerCase() as 'click', at } : null
    }
    case 'drag': {
      const [from, to, ...others] = rest.split(/\s+to\s+/)
      const [at] = placesOf(from ?? '')
      const [end] = placesOf(to ?? '')
      return at && end && others.length === 0 ? { kind: 'drag', at, to: end } : null
    }
    case 'scroll': {
      const [, place = '', way] = /^(.*?)\s*(up|down)$/i.exec(rest) ?? []
      const [at] = placesOf(place)
      return at && way !== undefined ? { kind: 'scroll', at, isDown: way.toLowerCase() === 'down' } : null
    }
    case 'type':
      return rest === '' ? null : { kind: 'type', words: rest }
    case 'key':
      return keyOf(rest)
    case 'wait':
      return { kind: 'wait' }
    default:
      return null
  }
}

/** "7" is an element, "80 120" a point. */
function placesOf(text: string): Place[] {
  const numbers = text.trim().split(/[\s,]+/)
  if (!numbers.every((number) => /^\d{1,4}$/.test(number))) return []
  const [first, second] = numbers.map(Number)
  if (numbers.length === 1) return [{ mark: first! }]
  return numbers.length === 2 ? [{ x: first!, y: second! }] : []
}

function keyOf(text: string): PageCommand | null {
  const [, control, name = ''] = /^(?:(ctrl|control)[+\s]+)?(\S+)$/i.exec(text.trim()) ?? []
  const isControl = control !== undefined
  if (name.length === 1) return { kind: 'key', key: name, isControl }
  const known = KEY_NAMES.find((key) => key.toLowerCase() === name.toLowerCase())
  return known ? { kind: 'key', key: known === 'Space' ? ' ' : known, isControl } : null
}
