/** The coding world on the page: choosing it, viewing a made-up run, and adding your own problems and programs. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { fakeCodingRunLines } from '../playground/fake-coding-run.ts'
import { fakeRunLines } from '../playground/fake-run.ts'
import { openSettings, runOnShow } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

interface Visit extends BrowserContextOptions {
  /** Whether the page includes a recorded run of the coding world. */
  isRecorded?: boolean
}

async function visit({ isRecorded = false, ...options }: Visit = {}): Promise<Page> {
  page = await pages.open(options)
  await page.route('**/runs/**', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    if (name === 'household.jsonl') return route.fulfill({ body: fakeRunLines({ iterations: 3 }) })
    if (name === 'coding.jsonl' && isRecorded) return route.fulfill({ body: fakeCodingRunLines() })
    return route.fulfill({ status: 404 })
  })
  await page.goto(inject('pageAddress'))
  await runOnShow(page).getByText('Recorded run').waitFor()
  return page
}

const world = (name: string) => page.getByRole('radio', { name, exact: true })

async function openRun(): Promise<void> {
  await page.locator('input[aria-label="Run log"]').setInputFiles({
    name: 'coding.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(fakeCodingRunLines()),
  })
  await runOnShow(page).getByText('Run from a file').waitFor()
  await goTo(page, 'Episodes')
  await page.getByRole('grid', { name: 'Programs of this problem on its tests' }).waitFor()
}

async function drop(name: string, text: string): Promise<void> {
  await page.evaluate(
    (given) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([given.text], given.name))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    { name, text },
  )
}

const item = (question: string, more: object = {}) => ({
  question,
  test_method: 'stdio',
  test_time_limit: 1,
  test_input: ['1 2\n', '5 -3\n'],
  test_output: ['3', '2'],
  split: 'train',
  ...more,
})

describe('the choice of a world', () => {
  it('switches settings, wording and panels, in both directions', async () => {
    await visit()
    await goTo(page, 'Games and problems')
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
    await world('Coding').check()
    await openSettings(page)
    await page.getByRole('textbox', { name: 'm, tests per problem' }).waitFor()
    expect(await page.getByLabel('Preset').inputValue()).toBe('coding')
    await page.getByRole('heading', { name: 'Problems', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'Games', exact: true }).count()).toBe(0)
    await goTo(page, 'Loop')
    await page.getByRole('img', { name: /^Detect\. No values yet/ }).waitFor()
    await goTo(page, 'Episodes')
    await page.getByText('No programs yet.').waitFor()
    await page.locator('summary').getByText('Run', { exact: true }).click()
    expect(await page.getByLabel('Steps per episode', { exact: true }).count()).toBe(0)
    await page.getByText('Steps per episode, Steps per evaluation episode: a program is one step').waitFor()
    await page.getByLabel('Preset').selectOption({ label: 'Hidden tests alone (GRPO)' })
    expect(await world('Coding').isChecked()).toBe(true)

    await world('Household').check()
    await page.getByRole('textbox', { name: 'm, votes per step' }).waitFor()
    await goTo(page, 'Games and problems')
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
    await runOnShow(page).getByText('Household').waitFor()
  })

  it('shows the recorded run of the world if there is one', async () => {
    await visit({ isRecorded: true })
    await world('Coding').check()
    await runOnShow(page).getByText('Coding').waitFor()
    await page.getByRole('img', { name: /^UT\. in distribution \d.*training/ }).waitFor()
    await goTo(page, 'Episodes')
    await page.getByRole('grid', { name: 'Programs of this problem on its tests' }).waitFor()
    await world('Household').check()
    await page.getByRole('grid', { name: 'Rollouts of this task, step by step' }).waitFor()
  })
})

describe('programs × tests', () => {
  it('has a row for each program and a column for each test, with verdicts in words', async () => {
    await visit()
    await openRun()
    const rows = page.getByRole('rowheader', { name: /^Program \d, (right|wrong), passes/ })
    expect(await rows.count()).toBe(6)
    const cell = (name: RegExp) => page.getByRole('gridcell', { name })
    expect(await cell(/^Program 1, hidden test 1: passed$/).textContent()).toBe('✓')
    expect(await cell(/^Program 2, hidden test 1: wrong answer, expected 10, got 19$/).textContent()).toBe('✗')
    expect(await cell(/^Program 4, written test 1: runtime error, TypeError/).textContent()).toBe('E')
    expect(await cell(/^Program 5, written test 1: time limit/).textContent()).toBe('T')
    expect(await cell(/^Program 1, written test 4: unreadable/).textContent()).toBe('?')
    const marks = await page
      .getByRole('columnheader', { name: /^Written test/ })
      .evaluateAll((heads) => heads.map((head) => head.querySelector('.mark')?.textContent ?? ''))
    expect(marks).toEqual(['detects', '', 'lies', 'unreadable', 'unreadable'])
  })

  it('is navigated with the arrow keys, from programs to cells to tests', async () => {
    await visit()
    await openRun()
    await page.getByRole('rowheader', { name: /^Program 1,/ }).click()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    const press = async (key: string, expected: RegExp) => {
      await page.keyboard.press(key)
      await expect.poll(focused).toMatch(expected)
    }
    await press('ArrowDown', /^Program 2, wrong/)
    await page.getByRole('heading', { name: /^Program 2 .*wrong/ }).waitFor()
    await press('ArrowRight', /^Program 2, hidden test 1/)
    await press('End', /^Program 2, written test 5/)
    await press('ArrowUp', /^Program 1, written test 5/)
    await press('ArrowUp', /^Written test 5/)
    await press('ArrowLeft', /^Written test 4/)
    await page.getByRole('heading', { name: 'Written test 4' }).waitFor()
    await page.getByText('Let me think of a list and').waitFor()
    await press('ArrowDown', /^Program 1, written test 4/)
    await press('Home', /^Program 1, right/)
  })

  it('shows the program, its failed tests and its arithmetic; its text is never markup', async () => {
    await visit()
    await openRun()
    await page.getByRole('rowheader', { name: /^Program 5,/ }).click()
    const code = page.getByRole('group', { name: 'Program 5' })
    expect((await code.textContent())!.trim()).toBe('function f(xs) {\n  while (xs.length) xs.push("<b>" + 1)\n}')
    expect(await code.locator('b').count()).toBe(0)
    expect(await code.locator('.keyword').allTextContents()).toEqual(['function', 'while'])
    await page.getByRole('math', { name: 'R = O + λ (Σ S) / m = −1 + 1 · (0 passed − 3 failed) / 3 = −2.00' }).waitFor()
    await page.getByText(/^\d+ written tests? not passed$/).click()
    await page.getByRole('button', { name: 'written test 1' }).click()
    await page.getByRole('heading', { name: 'Written test 1' }).waitFor()
    await page.getByText('Program 5 on it').waitFor()
  })

  it('shows what a false test expects, and the right answer', async () => {
    await visit()
    await openRun()
    await page.getByRole('columnheader', { name: /^Written test 3/ }).click()
    await page
      .getByText(
        'It expects 12. The reference solution answers something else; so does program 1, which passes all hidden tests: expected 12, got 11.',
      )
      .waitFor()
    await page.getByText('Above 9 there is 11, and I add one.').waitFor()
  })
})

describe('a rewritten problem', () => {
  it('is shown as a diff, with the invalid attempts', async () => {
    await visit()
    await openRun()
    await goTo(page, 'Tasks')
    const section = page.getByRole('region', { name: 'Problems and their rewrites' })
    await section.getByRole('heading', { name: 'Made harder in iteration 1 accepted' }).waitFor()
    await expect.poll(() => section.locator('.diff del').allTextContents()).toEqual(['2'])
    expect(await section.locator('.diff ins').allTextContents()).toEqual(['9'])
    await section.getByText(/^Critic and/).click()
    await section.getByText('Attempt 1, invalid').waitFor()
    await section.getByText('above 2 → above 99').waitFor()
    await section.getByText('99 is not one of the constants').waitFor()
    await section.getByText('Hidden tests: 4 changes, 1 kept').click()
    const changes = section.getByRole('region', { name: 'Changed hidden tests' })
    expect(await changes.getByRole('row').count()).toBe(1 + 4)
  })
})

describe('your own problems', () => {
  it('are refused with the first faulty item, or imported without it, and stay until you remove them', async () => {
    await visit()
    await goTo(page, 'Games and problems')
    await world('Coding').check()
    const imported = world('Imported problems')
    expect(await imported.isDisabled()).toBe(true)
    const text = [item('Print the sum.'), item('No answers.', { test_output: ['3'] }), item('Print the sum again.')]
      .map((each) => JSON.stringify(each))
      .join('\n')
    await drop('sums.jsonl', text)
    const alert = page.getByRole('alert')
    await alert.getByText('No problems were imported from sums.jsonl.').waitFor()
    await alert.getByText('Item 2 (line 2): test_output has 1 entries and test_input 2').waitFor()
    expect(await imported.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Import the other 2 problems' }).click()
    await page.getByText('2 problems imported from sums.jsonl.').waitFor()

    await page.reload()
    await world('Coding').check()
    await imported.check()
    const table = page.getByRole('table', { name: 'Imported problems by file and split' })
    expect(await table.getByRole('row').nth(1).locator('th, td').allTextContents()).toMatchObject(['sums.jsonl', '2', '0', '0', expect.anything()]) // prettier-ignore
    await page.getByRole('button', { name: 'Remove sums.jsonl…' }).click()
    await page.getByRole('button', { name: 'Remove sums.jsonl', exact: true }).click()
    await expect.poll(() => table.count()).toBe(0)
    await expect.poll(() => world('Generated problems').isChecked()).toBe(true)
    expect(await imported.isDisabled()).toBe(true)
  })

  it('are distinguished from run logs, and accepted in the household too', async () => {
    await visit()
    await drop('one.json', JSON.stringify([item('Print the sum.')]))
    await page.getByText('1 problem imported from one.json. Choose the coding world to pose them.').waitFor()
    await drop('run.jsonl', fakeCodingRunLines())
    await runOnShow(page).getByText('Run from a file').waitFor()
    await goTo(page, 'Episodes')
    await page.getByRole('grid', { name: 'Programs of this problem on its tests' }).waitFor()
  })
})

describe('a problem that you write', () => {
  it('survives a reload, runs its checker, whose errors have a line number, and is saved', async () => {
    await visit()
    const openForm = async () => {
      await goTo(page, 'Games and problems')
      await world('Coding').check()
      await page.getByText('A problem of your own', { exact: true }).click()
    }
    await openForm()
    const statement = page.getByRole('textbox', { name: 'Statement, as the models read it' })
    const checker = page.getByRole('textbox', { name: /^Checker, in JavaScript/ })
    await statement.fill('Write f(x). Return any number above x.')
    await page.getByRole('textbox', { name: 'Input of test 1' }).fill('[1]')
    await page.getByRole('textbox', { name: 'Input of test 2' }).fill('[5]')
    await page.getByRole('textbox', { name: 'Output of test 2' }).fill('9')
    await checker.fill('function check([x], output) {\n  return output >\n}')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/^The checker cannot be used: SyntaxError: .* \(line 3\)/)
      .waitFor()

    await page.reload()
    await openForm()
    expect(await statement.inputValue()).toBe('Write f(x). Return any number above x.')
    await checker.fill("const check = ([x], output) => typeof output === 'number' && output > x")
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByRole('textbox', { name: 'Your program, in JavaScript' }).fill('const f = (x) => 2 * x - 1')
    await page.getByRole('button', { name: 'Judge it' }).click()
    await page.getByRole('cell', { name: /wrong answer, expected what the checker accepts, got 1/ }).waitFor()
    expect(await page.getByRole('cell', { name: 'what the checker accepts', exact: true }).count()).toBe(1)
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    await page.getByText('1 problem imported from Own: Write f(x). Return any number above x.').waitFor()
    expect(await world('Imported problems').isDisabled()).toBe(false)
  })
})

describe('a program that you write', () => {
  it('is judged wrong, then right, by a judge that loads only when needed', async () => {
    await visit()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await goTo(page, 'Games and problems')
    await world('Coding').check()
    await page.getByText('Look at a problem and write a program').click()
    const list = page.getByRole('list', { name: 'Problems', exact: true })
    await list.getByRole('button').first().click()
    const editor = page.getByRole('textbox', { name: 'Your program, in JavaScript' })
    expect(await editor.inputValue()).toMatch(/^function f\(\w+(, \w+)?\) \{\n {2}\n\}\n$/)
    expect(requests.filter((url) => /judge/.test(url))).toEqual([])

    await page.getByRole('button', { name: 'Judge it' }).click()
    await page.getByText('Wrong.').waitFor()
    await page.getByRole('cell', { name: /wrong answer, expected/ }).first().waitFor()
    await page.getByRole('button', { name: 'Write the reference solution' }).click()
    await editor.press('Control+Enter')
    await page.getByText('Right.').waitFor()
    expect(await page.getByRole('cell', { name: /passed$/ }).count()).toBeGreaterThan(2)
    expect(requests.filter((url) => /judge/.test(url)).length).toBeGreaterThan(0)

    await editor.fill('function f() { while (true) {} }')
    await page.getByRole('button', { name: 'Judge it' }).click()
    await page.getByRole('cell', { name: /time limit/ }).first().waitFor()
  }) // prettier-ignore
})

describe('the layout', () => {
  it('passes axe and fits into windows of 360 to 1440 pixels', async () => {
    await visit()
    await openRun()
    await world('Coding').check()
    await page.getByRole('columnheader', { name: /^Written test 3/ }).click()
    await expectSound(page, [360, 1440])
    await goTo(page, 'Tasks')
    await page.getByRole('region', { name: 'Problems and their rewrites' }).locator('summary').first().click()
    await expectSound(page, [360, 1440])
    await goTo(page, 'Games and problems')
    await drop('bad.json', '[{"question": 3}]')
    await page.getByText('No problems were imported from bad.json.').waitFor()
    await page.getByText('A problem of your own', { exact: true }).click()
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('The statement is empty').waitFor()
    await page.getByText('Look at a problem and write a program').click()
    await page.getByRole('list', { name: 'Problems', exact: true }).getByRole('button').first().click()
    await page.getByRole('button', { name: 'Judge it' }).click()
    await page.getByText('Wrong.').waitFor()
    await expectSound(page, [360, 1440])
  })
})
