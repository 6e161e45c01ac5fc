/** Items in the released form, for tests. */
export type Fields = Record<string, unknown>

/** A problem of standard input with two tests. `fields` replace its own; undefined removes one. */
export function releasedItem(fields: Fields = {}): Fields {
  const item: Fields = {
    question: 'Print twice x.',
    test_method: 'stdio',
    test_time_limit: 2,
    test_input: ['1', '2'],
    test_output: ['2', '4'],
    ...fields,
  }
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
}

/** A different problem for every number: print the sum of the input and the number. */
export function numbered(number: number, fields: Fields = {}): Fields {
  return releasedItem({
    question: `Print x plus ${number}.`,
    test_output: [`${1 + number}`, `${2 + number}`],
    ...fields,
  })
}
