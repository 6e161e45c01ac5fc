/** The lines of a Markdown table, whose first row is its header. */
export function markdownTable(table: readonly (readonly string[])[]): string[] {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  return [line(table[0]!), line(table[0]!.map(() => '---')), ...table.slice(1).map(line)]
}
