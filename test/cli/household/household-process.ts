/** Runs the household's command line in a process, compiled once for all tests of the file. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { useCompiled } from '../compiled.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export type Answer = Record<string, unknown> & { error?: { code: string; message: string } }

export function useHousehold() {
  const command = useCompiled('household')
  const startHousehold = (...args: string[]) =>
    spawn(process.execPath, [...command('household'), ...args], { cwd: root })

  /** Passes all input at once and waits for the end. */
  async function household(args: readonly string[], input: string | Buffer = ''): Promise<Ended> {
    const child = startHousehold(...args)
    const ended: Ended = { code: null, stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text))
    // A finished game stops reading.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    ended.code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
    return ended
  }

  /** Sends requests to a new server; every line of its output must be an answer. */
  async function asked(requests: readonly unknown[], ...args: string[]): Promise<Answer[]> {
    const lines = requests.map((request) => (typeof request === 'string' ? request : JSON.stringify(request)))
    const { code, stdout, stderr } = await household(['--serve', ...args], lines.map((line) => `${line}\n`).join(''))
    if (code !== 0 || stderr !== '') throw new Error(`The server ended with code ${code}: ${stderr}`)
    return answersIn(stdout)
  }

  return { startHousehold, household, asked }
}

export function answersIn(stdout: string): Answer[] {
  const lines = stdout.split('\n')
  if (lines.pop() !== '') throw new Error('The last answer has no line break.')
  return lines.map((line) => JSON.parse(line) as Answer)
}
