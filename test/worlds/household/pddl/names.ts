/** Names for ids, as ALFWorld gives them: of the cabinets, the first id is "cabinet 4", the last "cabinet 1". */
export function namesOf(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort()
  const nounOf = (id: string) => {
    const bar = id.indexOf('_bar_')
    return bar < 0 ? null : id.slice(0, bar) + (id.includes('basin') ? 'basin' : '')
  }
  const left = new Map<string, number>()
  for (const id of sorted) {
    const noun = nounOf(id)
    if (noun !== null) left.set(noun, (left.get(noun) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  for (const id of sorted) {
    const noun = nounOf(id)
    if (noun === null) {
      names.set(id, `${id} `)
      continue
    }
    const number = left.get(noun)!
    left.set(noun, number - 1)
    names.set(id, `${noun} ${number}`)
  }
  return names
}
