import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { programLines } from '../../../../src/playground/worlds/coding/program-text.ts'

const kindsOf = (program: string) => programLines(program).flat().map(({ kind, text }) => [kind, text]) // prettier-ignore

describe('a highlighted program', () => {
  it('has unchanged text for any program', () => {
    const code = fc.array(fc.constantFrom('"', "'", '`', '\\', '\n', '//', '/*', '*/', 'return', ' ', '0x1f', '1.5e-3', 'é', 'a1'))
    fc.assert(
      fc.property(fc.oneof(fc.string(), code.map((parts) => parts.join(''))), (program) => {
        const text = programLines(program).map((line) => line.map((piece) => piece.text).join('')).join('\n')
        expect(text).toBe(program)
      }),
    )
  }) // prettier-ignore

  it('marks keywords, numbers, strings and comments', () => {
    expect(kindsOf("return xs[0] + 'if' // for\nvariable1")).toEqual([
      ['keyword', 'return'], ['plain', ' xs['], ['number', '0'], ['plain', '] + '], ['string', "'if'"], ['plain', ' '],
      ['comment', '// for'], ['plain', 'variable1'],
    ]) // prettier-ignore
  })

  it('continues comments and templates on the next line', () => {
    expect(programLines('/* a\nb */ 1').map((line) => line[0]!.kind)).toEqual(['comment', 'comment'])
    expect(programLines('`a\n${b}`').map((line) => line[0]!.kind)).toEqual(['string', 'string'])
    expect(programLines('"open\nlet').map((line) => line[0]!.kind)).toEqual(['string', 'keyword'])
  })
})
