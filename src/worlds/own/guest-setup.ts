/**
 * Runs in the sandbox behind the world's script, and calls its parts by name. What the script may have redefined changes only its
 * own world.
 */
import { WORLD_VARIABLE } from './script.ts'

export const GUEST_SETUP = String.raw`
'use strict';
globalThis.$own = (() => {
  const world = globalThis.${WORLD_VARIABLE}
  const randomOf = (seed) => {
    let state = seed | 0
    const random = () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
    random.integer = (low, high) => low + Math.floor(random() * (high - low + 1))
    random.pick = (list) => {
      if (list.length === 0) throw new RangeError('random.pick was given an empty list')
      return list[random.integer(0, list.length - 1)]
    }
    random.shuffle = (list) => {
      const copy = [...list]
      for (let i = copy.length - 1; i > 0; i--) {
        const j = random.integer(0, i)
        const other = copy[i]
        copy[i] = copy[j]
        copy[j] = other
      }
      return copy
    }
    return random
  }
  return {
    /** What is there: the type of each part, or null if the default export is no object. */
    parts() {
      if (typeof world !== 'object' || world === null) return null
      const types = {}
      // A class keeps its methods in the prototype.
      for (let holder = world; holder !== null && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
        for (const name of Object.getOwnPropertyNames(holder))
          if (name !== 'constructor') types[name] = typeof world[name]
      return types
    },
    value(name) {
      return world[name]
    },
    call(name, ...given) {
      return world[name](...given)
    },
    task(split, seed) {
      return world.task(split, randomOf(seed))
    },
  }
})()
`
