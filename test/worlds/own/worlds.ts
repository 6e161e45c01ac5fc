/** Worlds for tests: the example, and small ones made from parts. */
import { readFileSync } from 'node:fs'
import { OwnGuest } from '../../../src/worlds/own/guest.ts'
import { readModule, type OwnModule } from '../../../src/worlds/own/module.ts'
import { loadEngine } from '../../../src/worlds/sandbox/engine-binary.ts'

export async function guestOf(module: OwnModule | string): Promise<OwnGuest> {
  return OwnGuest.open(await loadEngine(), typeof module === 'string' ? readModule(module, 'world.ts') : module)
}

export const EXAMPLE = new URL('../../../examples/key-and-chest.ts', import.meta.url)

export const exampleModule = () => readModule(readFileSync(EXAMPLE, 'utf8'), 'key-and-chest.ts')

/** A world in which saying the task's number wins. Each part may be replaced, or left out with null. */
const PARTS = {
  name: `'Numbers'`,
  rules: `'Say the number.'`,
  task: `(split, random) => ({ number: { train: 0, id: 100, ood: 200 }[split] + random.integer(0, 99) })`,
  reset: `({ number }) => ({ state: { number, said: null }, text: 'Say ' + number + '.' })`,
  step: `(state, command) => ({ state: { ...state, said: command }, text: 'You said ' + command + '.' })`,
  outcome: `({ number, said }) => (said === String(number) ? 'won' : said === 'stop' ? 'lost' : 'open')`,
} as const

export function worldOf(changed: Record<string, string | null> = {}, before = ''): string {
  const parts = Object.entries({ ...PARTS, ...changed }).filter(([, value]) => value !== null)
  return `${before}\nexport default {\n${parts.map(([name, value]) => `  ${name}: ${value},\n`).join('')}}\n`
}
