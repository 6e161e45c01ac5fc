/** Stands in for a chat model that reads task pages: rules for our own pages, and for some of MiniWoB++. */

/** What solves a task of the real wheel at its k-th command, given its text and the mark of a line that begins so. */
type Solver = (task: string, mark: (line: string) => string, page: string, k: number) => string
const quoted = (task: string) => /"([^"]+)"/.exec(task)![1]!
export const SOLVERS: Record<string, { task: RegExp; play: Solver }> = {
  'click-button': {
    task: /^Click on the ".*" button/,
    play: (task, mark) => `click ${mark(`button "${quoted(task)}"`)}`,
  },
  'enter-text': {
    task: /^Enter ".*" into the text field/,
    play: (task, mark, _page, k) =>
      [`click ${mark('input text')}`, `type ${quoted(task)}`, `click ${mark('button "Submit"')}`][k]!,
  },
  'enter-date': {
    task: /^Enter [\d/]+ as the date/,
    play(task, mark, _page, k) {
      const [month, day, year] = /[\d/]+/.exec(task)![0].split('/')
      return [`click ${mark('input date')}`, `type ${year}-${month}-${day}`, `click ${mark('button "Submit"')}`][k]!
    },
  },
  'choose-list': {
    task: /^Select .* from the list/,
    play: (task, mark, _page, k) =>
      `click ${mark(k === 0 ? `option "${/^Select (.*) from/.exec(task)![1]}"` : 'button "Submit"')}`,
  },
  'copy-paste': {
    task: /^Copy the text in the textarea below/,
    play: (_task, mark, _page, k) =>
      [
        ...[`click ${mark('textarea')}`, 'key ctrl a', 'key ctrl c', `click ${mark('input text')}`, 'key ctrl v'],
        `click ${mark('button "Submit"')}`,
      ][k]!,
  },
  'highlight-text': {
    task: /^Highlight the text in the paragraph below/,
    play: (_task, mark, _page, k) => (k === 0 ? `select ${mark('div "')}` : `click ${mark('button "Submit"')}`),
  },
  'drag-box': {
    task: /^Drag the smaller box/,
    play(_task, mark, page, k) {
      if (k > 0) return `click ${mark('button "Submit"')}`
      const [, left, top, side] = /div "L" at (\d+) (\d+), (\d+)/.exec(page)!.map(Number)
      return `drag ${mark('div "s"')} to ${left! + side! / 2} ${top! + side! / 2}`
    },
  },
  'scroll-text-2': {
    task: /^Scroll the textarea/,
    play: (task, mark, _page, k) =>
      k < 8 ? `scroll ${mark('textarea')} ${task.includes('top') ? 'up' : 'down'}` : `click ${mark('button "Submit"')}`,
  },
}

function solverOf(messages: readonly string[]): string | null {
  const task = /Task: (.*)/.exec(messages.join('\n'))![1]!
  const solver = Object.values(SOLVERS).find((other) => other.task.test(task))
  if (!solver) return null
  const page = messages.at(-1)!
  const mark = (line: string) =>
    page.split('\n').flatMap((text) => (text.replace(/^Page: /, '').match(/^(\d+) (.*)/)?.[2]?.startsWith(line) ? [/\d+/.exec(text)![0]] : []))[0] ?? '0' // prettier-ignore
  const said = messages.filter((text) => text.startsWith('Page: ')).length - 1
  return `By a rule.\nAction: ${solver.play(task, mark, page, said)}`
}

/** A model that reads: it does what the task says, but takes "blue" for the half reward. */
export function readerOf(messages: readonly string[]): string {
  const solved = solverOf(messages)
  if (solved !== null) return solved
  const page = messages.at(-1)!
  const [, wanted] = /Task: \w+ "(\w+)"/.exec(messages.join('\n'))!
  const mark = (what: string) => new RegExp(`^(?:Page: )?(\\d+) ${what}`, 'm').exec(page)?.[1]
  const says = (command: string) => `I read the page.\nAction: ${command}`
  if (mark('input') === undefined) return says(`click ${mark(`button "${wanted === 'blue' ? 'half' : wanted}"`)}`)
  if (!page.includes('(focus)')) return says(`click ${mark('input')}`)
  return says(page.includes(`= "${wanted}"`) ? `click ${mark('button "Submit"')}` : `type ${wanted}`)
}
