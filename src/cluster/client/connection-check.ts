/**
 * Finds out step by step why a gateway cannot be used. A browser reports nothing about a failed request, so each cause has its own
 * check: whether the page may ask at all, whether anything answers (a request without CORS resolves if a server answers, readable or
 * not), whether the answer may be read, who answers, and whether the token is right.
 */
import type { GatewayHealth, GatewaySchema } from '../protocol.ts'
import { GatewayClient, gatewayAddress, type GatewayClientOptions } from './gateway-client.ts'
import { GatewayError } from './gateway-error.ts'
import { isMixedContent, localNetworkPermission, needsLocalPermission } from './network-rules.ts'

export const CHECK_STEPS = [
  'The address is valid',
  'The browser allows the request',
  'Something answers',
  'The gateway allows this page',
  'It is a gateway of this version',
  'The token is right',
] as const
export type CheckStepName = (typeof CHECK_STEPS)[number]

export interface CheckStep {
  name: CheckStepName
  /** `open`: not reached, because an earlier step failed. */
  state: 'passed' | 'failed' | 'open'
}

export interface ConnectionCheck {
  steps: CheckStep[]
  /** Null if all passed. */
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

/** Rejects only with the signal's reason; every other failure is in the result. */
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
      // The answer is readable: it comes from another server, or from a gateway that requires the token.
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
      what: 'The browser blocks requests from this page to that address.',
      why: 'The page was loaded over https, and the address is http (mixed content).',
      remedy: `Give the gateway a certificate and use https://${server.host}, or forward its port to this machine (ssh -L ${server.port || '80'}:127.0.0.1:${server.port || '80'} …) and use http://127.0.0.1:${server.port || '80'}.`,
    })
  if (needsLocalPermission(here, server)) {
    if (!isSecureContext)
      throw new GatewayError('local-network', {
        what: 'The browser blocks requests from this page to your network.',
        why: 'The page was loaded over plain http. Only https pages and pages on this machine may reach the network.',
        remedy: 'Open the page over https, or start it on this machine: npm start.',
      })
    if ((await localNetworkPermission(permissions)) === 'denied')
      throw new GatewayError('local-network', {
        what: 'The browser blocks requests from this page to your network.',
        why: 'This site was denied permission for local network access.',
        remedy: 'Allow it in the site settings, left of the address, and connect again.',
      })
  }
}

/** Why there was no readable answer, and how many steps passed before. */
async function reason(
  error: GatewayError,
  server: URL,
  { page, fetch: fetcher = fetch, signal }: CheckContext,
): Promise<[GatewayError, number]> {
  const here = new URL(page)
  // A refusal by CORS comes at once, so whatever answers a second request is slow, not forbidden.
  if (isTimeout(error.cause)) return [unanswered(error, here, server, error.cause), 2]
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
      what: 'A server answers there, but does not let this page read the answer.',
      why: `${here.origin} is not among its allowed origins (CORS).`,
      remedy: `If it is the gateway, start it with --allow-origin ${here.origin}, or add this under "origins" of its cluster file. If it is Ray's dashboard or another server, give the gateway's address instead.`,
    }),
    3,
  ]
}

function unanswered(error: GatewayError, page: URL, server: URL, cause: unknown): GatewayError {
  const why = [
    'The gateway is not running, or a firewall blocks the connection.',
    ...(needsLocalPermission(page, server)
      ? ['Or the browser asked whether this page may reach devices on your network and was not allowed yet.']
      : []),
    ...(isMixedContent(page, server)
      ? ['Or the browser blocks it because the page was loaded over https and the address is http (mixed content).']
      : []),
  ]
  return new GatewayError(
    'unreachable',
    {
      what: `Nothing answers at ${server.host}.`,
      why: isTimeout(error.cause) ? error.why : why.join(' '),
      remedy: `Start it on the cluster with npm run gateway; if that is another machine, forward its port: ssh -L ${server.port || '80'}:127.0.0.1:${server.port || '80'} HOST.`,
    },
    { cause },
  )
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError'
}
