import { describe, expect, it } from 'vitest'
import { type GpuMessage, messageLine, messageOf } from '../../../src/bench/gpu/messages.ts'
import { pageQuery, pageRequest } from '../../../src/cli/bench/gpu/page-request.ts'

const check = (difference: number): GpuMessage => ({
  kind: 'check',
  name: 'number Infinity of "add"',
  difference,
  tolerance: 1e-4,
  programs: ['add f32'],
})

describe('messages of the page that measures', () => {
  it.each([1e-7, 0, Infinity, -Infinity, NaN])('keep a difference of %d', (difference) => {
    const line = messageLine(check(difference))
    expect(line).not.toContain('\n')
    expect(messageOf(line)).toEqual(check(difference))
  })
})

describe('the address of the page', () => {
  it.each([true, false])('says what to measure, tiny: %s', (isTiny) => {
    expect(pageRequest(pageQuery({ totalMs: 585_000, isTiny }))).toEqual({ totalMs: 585_000, isTiny })
  })
})
