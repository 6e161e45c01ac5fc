import type { WrittenTest } from '../../../src/method/ports.ts'

/** A test as the plain reward format reads it. */
export function testResponse({ input, output }: WrittenTest, reasoning = ''): string {
  return `${reasoning === '' ? '' : `${reasoning}\n`}Input: ${input}\nOutput: ${output}`
}
