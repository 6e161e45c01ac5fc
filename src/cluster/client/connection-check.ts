/**
 * Why a gateway cannot be used, found out step by step. A browser tells a page nothing of a request that fails, so each cause is
 * looked for by itself: what the page may ask at all, then whether anything answers (a request without CORS resolves where a server
 * answers, readable or not), then whether the answer may be read, who answers, and whether the token is right.
 */
import type { GatewayHealth, GatewaySchema } from '../protocol.ts'
import { GatewayClient, gatewayAddress, type GatewayClientOptions } from './gateway-client.ts'
import { GatewayError } from './gateway-error.ts'
import { isMixedContent, localNetworkPermission, needsLocalPermission } from './network-rules.ts'

export const CHECK_STEPS = [
  'The address is one',
  'The browser lets this page ask it',
  'Something answers',
  'The gateway lets this page read',
  'It is a gateway of this version',
  'The token is right',
] as const
export type CheckStepName = (typeof CHECK_STEPS)[number]

export interface CheckStep {
  name: CheckStepName
  /** `open`: not reached, because one before it failed. */
  state: 'passed' | 'failed' | 'open'
}

export interface ConnectionCheck {
  steps: CheckStep[]
  /** Null where all passed. */
  problem: GatewayError | null
  health: GatewayHealth | null
  schema: GatewaySchema | null
}

export interface CheckContext extends GatewayClientOptions {
  /** Address of this page. */
  page: string
  isSecureContext: boolean
  permissions: Pick<Permissions, 'query'> | undefined
  signal?: AbortSignal
}

/** Rejects with the signal's reason alone; all else is in the answer. */
export async function checkConnection(context: CheckContext): Promise<ConnectionCheck> {
  let passed = 0
  let health: GatewayHealth | null = null
  try {
    const server = new URL(gatewayAddress(context.address))
    passed = 1
    await checkRules(server, context)
    passed = 2
    const client = new GatewayClient(context)
    try {
      health = await client.health(context.signal)
    } catch (error) {
      context.signal?.throwIfAborted()
      if (!(error instanceof GatewayError)) throw error
      if (error.kind === 'unreachable') {
        const [cause, reached] = await reason(error, server, context)
        passed = reached
        throw cause
      }
      // An answer that can be read: of something else, or of a gateway that opens to nobody without the token.
      passed = error.kind === 'token' ? 5 : 4
      throw error
    }
    passed = 5
    const schema = await client.schema(context.signal)
    return { steps: stepsUntil(CHECK_STEPS.length), problem: null, health, schema }
  } catch (error) {
    context.signal?.throwIfAborted()
    if (!(error instanceof GatewayError)) throw error
    return { steps: stepsUntil(passed), problem: error, health, schema: null }
  }
}

function stepsUntil(passed: number): CheckStep[] {
  return CHECK_STEPS.map((name, i) => ({ name, state: i < passed ? 'passed' : i === passed ? 'failed' : 'open' }))
}

async function checkRules(server: URL, { page, permissions, isSecureContext }: CheckContext): Promise<void> {
  const here = new URL(page)
  if (isMixedContent(here, server) && !needsLocalPermission(here, server))
    throw new GatewayError('mixed-content', {
      what: 'The browser does not let this page ask that address.',
      why: 'The page came over https, and the address is http: mixed content.',
      remedy: `Give the gateway a certificate and use https://${server.host}, or forward its port to this machine (ssh -L ${server.port || '80'}:127.0.0.1:${server.port || '80'} …) and use http://127.0.0.1:${server.port || '80'}.`,
    })
  if (needsLocalPermission(here, server)) {
    if (!isSecureContext)
      throw new GatewayError('local-network', {
        what: 'The browser does not let this page ask your network.',
        why: 'The page came over plain http, and only pages of https or of this machine may.',
        remedy: 'Open the page over https, or start it on this machine: npm start.',
      })
    if ((await localNetworkPermission(permissions)) === 'denied')
      throw new GatewayError('local-network', {
        what: 'The browser does not let this page ask your network.',
        why: 'The permission for local network access was denied to this site.',
        remedy: 'Allow it in the site settings, left of the address, and connect again.',
      })
  }
}

/** Why no readable answer came, and how many steps passed before. */
async function reason(
  error: GatewayError,
  server: URL,
  { page, fetch: fetcher = fetch, signal }: CheckContext,
): Promise<[GatewayError, number]> {
  const here = new URL(page)
  try {
    const patience = AbortSignal.timeout(5000)
    await fetcher(`${gatewayAddress(server.href)}/v1/health`, {
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    })
  } catch (cause) {
    signal?.throwIfAborted()
    return [unanswered(error, here, server, cause), 2]
  }
  return [
    new GatewayError('origin', {
      what: 'A server answers there, and does not let this page read what it says.',
      why: `${here.origin} is not among the origins that it allows (CORS).`,
      remedy: `If it is the gateway, start it with --allow-origin ${here.origin}, or add this under "origins" of its cluster file. If it is Ray's dashboard or another server, give the gateway's address instead.`,
    }),
    3,
  ]
}

function unanswered(error: GatewayError, page: URL, server: URL, cause: unknown): GatewayError {
  const why = [
    'The gateway is not running, or a firewall is between.',
    ...(needsLocalPermission(page, server)
      ? ['Or the browser has asked whether this page may reach devices of your network, and nobody has allowed it yet.']
      : []),
    ...(isMixedContent(page, server)
      ? ['Or it refuses because the page came over https and the address is http (mixed content).']
      : []),
  ]
  return new GatewayError(
    'unreachable',
    {
      what: `Nothing answers at ${server.host}.`,
      why: error.cause instanceof Error && error.cause.name === 'TimeoutError' ? error.why : why.join(' '),
      remedy: `Start it with npm run gateway where it belongs; if that is another machine, forward its port: ssh -L ${server.port || '80'}:127.0.0.1:${server.port || '80'} HOST.`,
    },
    { cause },
  )
}
