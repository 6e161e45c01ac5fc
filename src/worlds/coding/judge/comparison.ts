/**
 * Compares answers with expected ones, for problems without a checker (checker.ts).
 *
 * JSON values: null, booleans and strings by identity; numbers exactly, as doubles, where 0 equals -0 (0.1 + 0.2 is not 0.3;
 * NaN is not JSON); arrays element by element; objects key by key, in any order. Texts, as released: with whitespace
 * collapsed.
 */
import type { Json } from './verdict.ts'

export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isArray(a) || isArray(b)) {
    return isArray(a) && isArray(b) && a.length === b.length && a.every((element, i) => isSameJson(element, b[i]!))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key]!, b[key]!))
}

export function isSameText(a: string, b: string): boolean {
  return collapsed(a) === collapsed(b)
}

function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Array.isArray does not narrow readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
