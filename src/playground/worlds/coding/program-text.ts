/**
 * Splits a program into lines of coloured pieces. Knows the keywords of JavaScript, and what all languages share: names, numbers,
 * strings and comments. Never fails: anything else is plain text, and the pieces of all lines joined by line feeds are the program.
 */
export type PieceKind = 'plain' | 'keyword' | 'number' | 'string' | 'comment'
export interface Piece {
  kind: PieceKind
  text: string
}

const KEYWORDS = new Set(
  (
    'async await break case catch class const continue debugger default delete do else export extends false finally for ' +
    'from function if import in instanceof let new null of return static super switch this throw true try typeof ' +
    'undefined var void while with yield'
  ).split(' '),
)

/** Alternatives in the order in which they are tried. Unclosed strings and templates end with the text. */
const PIECE =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<string>'(?:\\[^]|[^'\\\n])*'?|"(?:\\[^]|[^"\\\n])*"?|`(?:\\[^]|[^`\\])*`?)|(?<number>\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)n?\b)|(?<word>[\p{ID_Start}$_][\p{ID_Continue}$]*)/giu

export function programLines(program: string): Piece[][] {
  const lines: Piece[][] = [[]]
  const add = (kind: PieceKind, text: string) => {
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([])
      const line = lines.at(-1)!
      const last = line.at(-1)
      if (part === '') continue
      if (last?.kind === kind) last.text += part
      else line.push({ kind, text: part })
    }
  }
  let end = 0
  for (const match of program.matchAll(PIECE)) {
    add('plain', program.slice(end, match.index))
    const { comment, string, number, word } = match.groups!
    const kind: PieceKind =
      comment !== undefined
        ? 'comment'
        : string !== undefined
          ? 'string'
          : number !== undefined
            ? 'number'
            : KEYWORDS.has(word!)
              ? 'keyword'
              : 'plain'
    add(kind, match[0])
    end = match.index + match[0].length
  }
  add('plain', program.slice(end))
  return lines
}
