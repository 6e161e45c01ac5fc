/** Reads command lines with node:util's parseArgs. Every error is one line that says what is valid. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** An invalid command line; the message is one line for the user. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

/** parseArgs. Throws ArgumentError. */
export function readArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))) throw error
    // Node's messages continue with advice about dashes.
    const reason = error.message.split('\n')[0]!.replace(/\.? To specify a positional.*|\.$/, '')
    const valid = Object.keys(config.options ?? {}).map((name) => `--${name}`)
    throw new ArgumentError(`${reason}. The options are ${valid.join(', ')}.`, { cause: error })
  }
}

/** Throws ArgumentError for the first of `options` that is given; `why` completes the sentence "--option …". */
export function refuseOptions<Values extends object>(
  values: Values,
  options: readonly (keyof Values & string)[],
  why: string,
): void {
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false)
  const given = options.find((option) => isGiven(values[option]))
  if (given !== undefined) throw new ArgumentError(`--${given} ${why}.`)
}

/** Throws ArgumentError. */
export function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((known) => known === text)
  if (name === undefined) throw new ArgumentError(`--${option} must be one of ${names.join(', ')}, not "${text}".`)
  return name
}

/** Throws ArgumentError. */
export function wholeNumber(option: string, text: string, low: number, high: number): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isInteger(number) || number < low || number > high) {
    throw new ArgumentError(`--${option} must be a whole number from ${low} to ${high}, not "${text}".`)
  }
  return number
}
