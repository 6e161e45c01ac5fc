import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Allocator, OutOfMemoryError } from '../../../src/language-model/backends/simd/allocator.ts'

const newAllocator = (maximum = 1024) => new Allocator(new WebAssembly.Memory({ initial: 32, maximum }))

type Command = { allocate: number } | { free: number }
const commands = fc.array(
  fc.oneof(
    fc.record({ allocate: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 400_000 })) }),
    fc.record({ free: fc.nat() }),
  ),
  { maxLength: 120 },
) as fc.Arbitrary<Command[]>

describe('the allocator', () => {
  it('never allocates overlapping memory or memory beyond the end', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const allocator = newAllocator()
        const live: { start: number; end: number }[] = []
        for (const command of list) {
          if ('allocate' in command) {
            const start = allocator.allocate(command.allocate)
            const end = start + command.allocate
            expect(start % 64).toBe(0)
            expect(end).toBeLessThanOrEqual(allocator.bytesReserved)
            for (const other of live) expect(end <= other.start || other.end <= start || start === end).toBe(true)
            live.push({ start, end })
          } else if (live.length > 0) {
            const [block] = live.splice(command.free % live.length, 1)
            allocator.free(block!.start)
          }
        }
        for (const { start } of live) allocator.free(start)
        expect(allocator.bytesInUse).toBe(0)
        // All pieces are joined again: a block of nearly the whole memory fits without growing.
        const reserved = allocator.bytesReserved
        allocator.allocate(reserved - 65_536)
        expect(allocator.bytesReserved).toBe(reserved)
      }),
      { numRuns: 100 },
    )
  })

  it('does not grow when the same step is repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const allocator = newAllocator(65536)
        const step = () => {
          const addresses = sizes.map((size) => allocator.allocate(size))
          for (const address of addresses) allocator.free(address)
        }
        step()
        const reserved = allocator.bytesReserved
        for (let repeat = 0; repeat < 5; repeat++) step()
        expect(allocator.bytesReserved).toBe(reserved)
      }),
      { numRuns: 20 },
    )
  })

  it('reports how much is in use when the memory cannot grow', () => {
    const allocator = newAllocator(64)
    expect(() => allocator.allocate(1e9)).toThrow(OutOfMemoryError)
    expect(() => allocator.allocate(1e9)).toThrow(/953\.7 MB more do not fit/)
    expect(allocator.allocate(1e6)).toBeGreaterThan(0)
  })

  it('refuses to free an address twice', () => {
    const allocator = newAllocator()
    const address = allocator.allocate(8)
    allocator.free(address)
    expect(() => allocator.free(address)).toThrow(RangeError)
  })
})
