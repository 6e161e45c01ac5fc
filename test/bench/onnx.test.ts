import { describe, expect, it } from 'vitest'
import { Message } from '../../src/bench/peers/onnx/protobuf.ts'

const hex = (message: Message) => Buffer.from(message.encode()).toString('hex')

describe('the protocol-buffer writer', () => {
  it('writes what the encoding guide shows', () => {
    expect(hex(new Message().integer(1, 150))).toBe('089601')
    expect(hex(new Message().text(2, 'testing'))).toBe('120774657374696e67')
    expect(hex(new Message().message(3, new Message().integer(1, 150)))).toBe('1a03089601')
  })

  it('writes numbers beyond 32 bits, and floats in four bytes', () => {
    expect(hex(new Message().integer(1, 2 ** 40))).toBe('08808080808020')
    expect(hex(new Message().float(2, 1))).toBe('150000803f')
    expect(() => new Message().integer(1, -1)).toThrow(RangeError)
  })
})
