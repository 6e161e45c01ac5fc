/**
 * Functions for guests beyond ECMAScript, and functions that the judge uses inside the guest. The prelude runs once, before the
 * machine's image is taken, so the language is still unmodified. It keeps what it needs in variables, so a program that
 * redefines `JSON.stringify` or puts a setter on `Array.prototype[0]` changes nothing here. Hence the style: no methods
 * of values, no spread, no `for … of`, no writes to arrays that have a prototype.
 *
 * Beyond the language, a program may use the following. Date is missing, because its clock and time zone would make verdicts
 * depend on time and place, and so is SharedArrayBuffer.
 *
 *     readline()                      the next line of the input without its end, null after the last one
 *     input()                         the same, but an error after the last one
 *     print(...values)                one line of output: values with a space between them, objects as JSON
 *     console.log, info, debug        the same
 *     console.error, warn             nothing
 *     Math.random()                   the same numbers in every run
 *
 * There are no timers and no modules. Promise reactions run until none are left; an unhandled rejection is not an error.
 * Calls may be nested about a thousand deep.
 */
export const GUEST_PRELUDE = String.raw`
'use strict';
(() => {
  const { parse, stringify } = JSON
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
  const { defineProperty, hasOwn, prototype: plain, setPrototypeOf } = Object
  const { isArray } = Array
  const { imul } = Math
  const { Error, RangeError, TypeError, String: textOf } = globalThis
  const InternalErrorPrototype = InternalError.prototype
  // uncurried(method)(receiver, ...rest): a bound function looks nothing up when it is called.
  const uncurried = Function.prototype.bind.bind(Function.prototype.call)
  const indexOf = uncurried(String.prototype.indexOf)
  const slice = uncurried(String.prototype.slice)
  const join = uncurried(Array.prototype.join)

  delete globalThis.SharedArrayBuffer

  // ---------------------------------------------------------------- chance (mulberry32)
  let state = 0x9e3779b9
  defineProperty(Math, 'random', {
    value: function random() {
      state = (state + 0x6d2b79f5) | 0
      let mixed = imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    },
  })

  // ---------------------------------------------------------------- input and output
  let text = ''
  let at = 0
  const lines = setPrototypeOf([], null)
  let lineCount = 0
  let room = 0

  const nextLine = () => {
    if (at >= text.length) return null
    const found = indexOf(text, '\n', at)
    const end = found < 0 ? text.length : found
    const line = slice(text, at, end > at && text[end - 1] === '\r' ? end - 1 : end)
    at = end + 1
    return line
  }
  const shown = (value) => {
    if (typeof value === 'object' && value !== null) {
      const json = stringify(value)
      if (json !== undefined) return json
    }
    return textOf(value)
  }
  const writeLine = (values) => {
    let line = ''
    for (let i = 0; i < values.length; i++) line += (i > 0 ? ' ' : '') + shown(values[i])
    room -= line.length + 1
    if (room < 0) {
      room = -1
      throw new RangeError('too much output')
    }
    lines[lineCount++] = line
  }
  const define = (target, name, value) =>
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
  define(globalThis, 'readline', function readline() {
    return nextLine()
  })
  define(globalThis, 'input', function input() {
    const line = nextLine()
    if (line === null) throw new Error('input() found no more lines')
    return line
  })
  define(globalThis, 'print', function print(...values) {
    writeLine(values)
  })
  define(globalThis, 'console', {})
  define(console, 'log', function log(...values) {
    writeLine(values)
  })
  define(console, 'info', console.log)
  define(console, 'debug', console.log)
  define(console, 'error', function error() {})
  define(console, 'warn', console.error)

  // ---------------------------------------------------------------- for the judge
  const DEEPEST = 500
  let left = 0
  let fault = null
  const fail = (what) => {
    if (fault === null) fault = what
    return ''
  }
  const nameOf = (prototype) => {
    const maker = prototype === null ? undefined : getOwnPropertyDescriptor(prototype, 'constructor')
    const made = maker !== undefined && hasOwn(maker, 'value') ? maker.value : undefined
    const name = typeof made === 'function' ? getOwnPropertyDescriptor(made, 'name') : undefined
    const word = name !== undefined && hasOwn(name, 'value') ? name.value : undefined
    return typeof word === 'string' && word !== '' ? 'an instance of ' + slice(word, 0, 40) : 'an object with a prototype'
  }
  // One function, so that a level of nesting costs one frame of the stack.
  const encoded = (value, depth) => {
    if (--left < 0) return fail('')
    switch (typeof value) {
      case 'string':
        left -= value.length
        return left < 0 ? fail('') : stringify(value)
      case 'number':
        return value - value === 0 ? textOf(value) : fail(textOf(value))
      case 'boolean':
        return value ? 'true' : 'false'
      case 'bigint':
        return fail(slice(textOf(value), 0, 40) + 'n')
      case 'undefined':
        return fail('undefined')
      case 'function':
      case 'symbol':
        return fail('a ' + typeof value)
    }
    if (value === null) return 'null'
    if (depth === DEEPEST) return fail('something nested without end, or deeper than ' + DEEPEST)
    if (isArray(value)) {
      const { value: length } = getOwnPropertyDescriptor(value, 'length')
      let json = '['
      for (let i = 0; i < length && fault === null; i++) {
        const property = getOwnPropertyDescriptor(value, textOf(i))
        if (property === undefined) return fail('a hole in an array')
        if (!hasOwn(property, 'value')) return fail('an accessor')
        json += (i > 0 ? ',' : '') + encoded(property.value, depth + 1)
      }
      return json + ']'
    }
    const prototype = getPrototypeOf(value)
    if (prototype !== plain && prototype !== null) return fail(nameOf(prototype))
    const keys = ownKeys(value)
    let json = '{'
    for (let i = 0; i < keys.length && fault === null; i++) {
      const key = keys[i]
      const property = typeof key === 'symbol' ? undefined : getOwnPropertyDescriptor(value, key)
      if (property === undefined || !property.enumerable) continue
      if (!hasOwn(property, 'value')) return fail('an accessor')
      left -= key.length + 4
      json += (json === '{' ? '' : ',') + stringify(key) + ':' + encoded(property.value, depth + 1)
    }
    return json + '}'
  }
  let given = null
  let limit = 0
  return {
    /** JSON of [input, arguments of the call, characters that output and result may have]. */
    begin(json) {
      const task = parse(json)
      text = task[0]
      given = task[1]
      room = limit = task[2]
    },
    invoke(callee) {
      if (typeof callee !== 'function') throw new TypeError('it is not a function')
      return apply(callee, undefined, given)
    },
    /** '=' and JSON; '>' if it, or the output, is longer than the limit; '!' and what there is that JSON does not have. */
    encode(value) {
      left = limit
      fault = null
      const json = encoded(value, 0)
      return room < 0 || fault === '' ? '>' : fault === null ? '=' + json : '!' + fault
    },
    /** '=' and the output as JSON, '>' if there was too much. */
    output() {
      return room < 0 ? '>' : '=' + stringify(join(lines, '\n'))
    },
    /** JSON of [what ran out, name, message, stack]; a name is empty if what was thrown has no message. */
    describe(thrown) {
      if (room < 0) return stringify(['output', '', '', ''])
      const said = typeof thrown === 'object' && thrown !== null ? thrown.message : undefined
      if (said === undefined) return stringify(['', '', slice(shown(thrown), 0, 300), ''])
      const isOutOfMemory = said === 'out of memory' && getPrototypeOf(thrown) === InternalErrorPrototype
      const name = slice(textOf(thrown.name), 0, 60)
      return stringify([isOutOfMemory ? 'memory' : '', name, slice(textOf(said), 0, 300), slice(textOf(thrown.stack), 0, 2000)])
    },
  }
})()
`
