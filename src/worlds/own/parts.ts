/** The parts of a world, and the errors that name the missing or wrong one. */
import { OwnWorldError } from './error.ts'
import type { OwnWorld } from './own-world.ts'

export type PartName = keyof OwnWorld
type Part = { type: 'string' | 'function'; isRequired: boolean; form: string; needs?: PartName }

/** In the order of own-world.ts. */
export const PARTS: Readonly<Record<PartName, Part>> = {
  name: { type: 'string', isRequired: true, form: "name: 'Key and chest'" },
  rules: { type: 'string', isRequired: true, form: "rules: 'Commands are go north, …'" },
  task: { type: 'function', isRequired: true, form: 'task(split, random) { return … }' },
  reset: { type: 'function', isRequired: true, form: 'reset(task) { return { state, text } }' },
  step: { type: 'function', isRequired: true, form: 'step(state, command) { return { state, text } }' },
  outcome: { type: 'function', isRequired: true, form: "outcome(state) { return 'won', 'lost' or 'open' }" },
  expert: { type: 'function', isRequired: false, form: "expert(state) { return 'go north' }" },
  distance: { type: 'function', isRequired: false, form: 'distance(state) { return 3 }' },
  label: { type: 'function', isRequired: false, form: 'label(before, command, after) { return 1 or -1 }' },
  reason: {
    type: 'function',
    isRequired: false,
    form: "reason(before, command, after, label) { return 'came closer' }",
  },
  instruction: { type: 'function', isRequired: false, form: 'instruction(task) { return … }' },
  kind: { type: 'function', isRequired: false, form: 'kind(task) { return … }' },
  describe: { type: 'function', isRequired: false, form: 'describe(task) { return … }' },
  rewrites: {
    type: 'function',
    isRequired: false,
    form: "rewrites(task, direction) { return ['wall at 2 2', …] }",
    needs: 'rewrite',
  },
  rewrite: {
    type: 'function',
    isRequired: false,
    form: 'rewrite(task, text) { return another task or null }',
    needs: 'rewrites',
  },
  picture: { type: 'function', isRequired: false, form: 'picture(state) { return … }' },
}

const NAMES = Object.keys(PARTS) as PartName[]

/** The parts that the file has. Throws OwnWorldError. `types` has the type of each; null if the default export is no object. */
export function checkParts(types: Readonly<Record<string, string>> | null, file: string): Set<PartName> {
  if (types === null)
    throw new OwnWorldError(
      `The default export of ${file} is not an object. Write \`export default { name, rules, task, … }\`.`,
    )
  const has = (name: string) => Object.hasOwn(types, name) && types[name] !== 'undefined'
  for (const name of NAMES) {
    const { type, isRequired, form, needs } = PARTS[name]
    const word = type === 'string' ? 'a text' : 'a function'
    if (!has(name)) {
      if (isRequired) throw new OwnWorldError(`\`${name}\` is missing in ${file}. Add ${word}: \`${form}\`.`)
      continue
    }
    if (types[name] !== type)
      throw new OwnWorldError(`\`${name}\` in ${file} is a ${types[name]!}, not ${word}. Write \`${form}\`.`)
    if (needs !== undefined && !has(needs))
      throw new OwnWorldError(`${file} has \`${name}\` without \`${needs}\`. Add \`${PARTS[needs].form}\`.`)
  }
  const unknown = Object.keys(types).find((name) => !Object.hasOwn(PARTS, name))
  if (unknown !== undefined)
    throw new OwnWorldError(
      `${file} has a part \`${unknown}\`, which no world has. The parts are ${NAMES.join(', ')}; ` +
        'put what only your own functions need in front of the default export.',
    )
  return new Set(NAMES.filter(has))
}
