/**
 * A configuration as YAML that OmegaConf reads back unchanged. Strings are JSON strings, which are valid double-quoted YAML. Floats
 * always have a point, because YAML 1.1, which PyYAML implements, reads "1e-6" as a string.
 */
import type { ConfigTree, ConfigValue } from './defaults.ts'
import { isTree } from './mapping.ts'

export function yamlText(tree: ConfigTree): string {
  return block(tree, '')
}

function block(tree: ConfigTree, indent: string): string {
  return Object.entries(tree)
    .map(([key, value]) => {
      const name = /^[A-Za-z][A-Za-z_]*$/.test(key) && !isWord(key) ? key : JSON.stringify(key)
      if (isTree(value) && Object.keys(value).length > 0) return `${indent}${name}:\n${block(value, `${indent}  `)}`
      return `${indent}${name}: ${inline(value)}\n`
    })
    .join('')
}

function inline(value: ConfigValue): string {
  if (Array.isArray(value)) return `[${(value as readonly ConfigValue[]).map(inline).join(', ')}]`
  if (isTree(value)) {
    const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${inline(entry)}`)
    return `{${entries.join(', ')}}`
  }
  if (typeof value === 'number') return number(value)
  return JSON.stringify(value)
}

/** 1e-6 -> 1.0e-06: PyYAML's floats need a point before the exponent and a sign in it. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`A configuration cannot contain ${value}.`)
  if (Object.is(value, -0)) return '0'
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const sign = exponent.startsWith('-') ? '-' : '+'
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${sign}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`
}

/** Words that YAML 1.1 does not read as strings. */
function isWord(text: string): boolean {
  return /^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
}
