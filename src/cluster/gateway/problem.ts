/** A request that the gateway refuses, in words for the user: what happened, why, what to do. */
import type { GatewayErrorBody } from '../protocol.ts'

export class GatewayProblem extends Error {
  override readonly name = 'GatewayProblem'
  readonly status: number
  readonly body: GatewayErrorBody
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    error: GatewayErrorBody['error'],
    { headers = {}, ...options }: ErrorOptions & { headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(`${error.what} ${error.why} ${error.remedy}`, options)
    this.status = status
    this.body = { error }
    this.headers = headers
  }
}
