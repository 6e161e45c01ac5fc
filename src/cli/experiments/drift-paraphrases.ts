/**
 * The generated problems in other words, to measure with whether a distance of texts knows meaning: every phrase of
 * statement.ts once more as another person would write it, with hardly a word in common where the language allows it. No model
 * of ours was trained on them.
 */
import { filled, TAIL } from '../../worlds/coding/problems/statement.ts'
import { inputTypeOf, type Op, type Spec, type Step, type ValueType } from '../../worlds/coding/problems/spec.ts'

const HEADS: Record<ValueType, string> = {
  pair: 'Define a function f of two numbers a, b that does this:',
  number: 'Define a function f of one number x that does this:',
  bound: 'Define a function f of one number n that does this:',
  list: 'Define a function f of an array xs of numbers that does this:',
  text: 'Define a function f of a text s that does this:',
}

const PHRASES: Record<Op, string> = {
  'add-both': 'sum up a and b',
  'subtract-both': 'compute a minus b',
  'multiply-both': 'compute a times b',
  larger: 'pick the maximum of a, b',
  smaller: 'pick the minimum of a, b',
  add: 'increase by {0}',
  subtract: 'decrease by {0}',
  multiply: 'scale {0} times',
  remainder: 'compute it modulo {0}',
  'at-least': 'if less than {0} use {0}',
  'at-most': 'if more than {0} use {0}',
  negate: 'flip the sign',
  absolute: 'drop the sign',
  square: 'raise to the power of two',
  'if-above': 'when greater than {0}',
  'if-below': 'when less than {0}',
  'if-even': 'when divisible by two',
  'if-odd': 'when not divisible by two',
  range: 'list the integers {0} to n inclusive',
  'range-below': 'list the integers {0} to n exclusive',
  'each-add': 'increase all elements by {0}',
  'each-subtract': 'decrease all elements by {0}',
  'each-multiply': 'scale all elements {0} times',
  'each-negate': 'flip all signs',
  'each-absolute': 'drop all signs',
  'each-square': 'raise all elements to the power of two',
  'keep-above': 'discard elements not greater than {0}',
  'keep-below': 'discard elements not less than {0}',
  'keep-even': 'discard elements not divisible by two',
  'keep-odd': 'discard elements divisible by two',
  'sort-up': 'order from small to large',
  'sort-down': 'order from large to small',
  'reverse-list': 'turn the array around',
  take: 'discard all but {0} elements at the front',
  drop: 'discard {0} elements at the front',
  sum: 'sum them up',
  largest: 'pick the maximum',
  smallest: 'pick the minimum',
  count: 'give the length',
  'reverse-text': 'turn the text around',
  'first-letters': 'discard all but {0} characters at the front',
  'last-letters': 'discard all but {0} characters at the end',
  'drop-letters': 'discard {0} characters at the front',
  append: 'put {0} at the end',
  prepend: 'put {0} at the front',
  remove: 'delete all {0} characters',
  replace: 'exchange all {0} for {1}',
  'sort-letters': 'order the characters alphabetically',
  twice: 'double the text',
  letters: 'give the length',
  'count-letter': 'give the number of {0} characters',
}

export function paraphraseOf(spec: Spec): string {
  return `${HEADS[inputTypeOf(spec)]} ${spec.steps.map(phraseOf).join('; then ')}${TAIL}`
}

function phraseOf({ op, constants, arms }: Step): string {
  const phrase = filled(PHRASES[op], constants)
  return arms ? `${phrase} ${phraseOf(arms[0])}, otherwise ${phraseOf(arms[1])}` : phrase
}
