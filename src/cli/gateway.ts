/** `npm run gateway -- --config cluster.yaml`: the gateway to a cluster (docs/gateway.md). */
import packageFile from '../../package.json' with { type: 'json' }
import { ClusterFileError, isOrigin, readClusterFile } from '../cluster/gateway/cluster-file.ts'
import { Gateway } from '../cluster/gateway/gateway.ts'
import { checkListening, GatewayServer } from '../cluster/gateway/http-server.ts'
import { GatewayProblem } from '../cluster/gateway/problem.ts'
import { RayJobs } from '../cluster/gateway/ray-jobs.ts'
import { SubprocessJobs } from '../cluster/gateway/subprocess-jobs.ts'
import { ArgumentError, readArguments, wholeNumber } from './arguments.ts'
import { restoreReleased } from './gateway/unpatch.ts'
import { errorText } from '../threads/error-text.ts'

const USAGE = `npm run gateway -- --config cluster.yaml [options]

  --config FILE   the cluster file, YAML or JSON; docs/gateway.md has an example
  --host HOST     address to listen on, instead of the cluster file's
  --port PORT     port to listen on, instead of the cluster file's; 0 for a free one
  --allow-origin ORIGIN
                  allows pages of this origin, besides those of the cluster file; may be repeated
  --unpatch       restores the released lines in the checkout and exits
  --help          shows this text

The token comes from the cluster file or from RLANYTHING_GATEWAY_TOKEN, Ray's from the cluster file or from RAY_AUTH_TOKEN.
`

async function main(): Promise<void> {
  const { config, host, port, origins, unpatch, help } = options()
  if (help) {
    process.stdout.write(USAGE)
    return
  }
  if (config === undefined) throw new ArgumentError('--config is missing: the gateway needs a cluster file.')
  const cluster = readClusterFile(config)
  if (unpatch) {
    restoreReleased(cluster)
    process.stdout.write('The checkout has its released lines again.\n')
    return
  }
  const listen = { host: host ?? cluster.listen.host, port: port ?? cluster.listen.port }
  checkListening(listen.host, cluster.token)
  const backend = cluster.ray ? new RayJobs(cluster.ray) : new SubprocessJobs()
  const gateway = new Gateway({ cluster, backend, version: packageFile.version, say })
  gateway.open()
  const server = new GatewayServer({
    gateway,
    token: cluster.token,
    origins: [...cluster.origins, ...origins],
    onFault: (error) => say(stackOf(error)),
  })
  const bound = await server.listen(listen.host, listen.port).catch(async (error: unknown) => {
    await gateway.close()
    throw error
  })
  const { systems, rayVersion } = await gateway.health()
  if (cluster.ray && rayVersion === null) say(`Ray does not answer at ${cluster.ray.address} yet.`)
  for (const [system, state] of Object.entries(systems)) if (state.problem !== null) say(`${system}: ${state.problem}`)
  const address = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  process.stdout.write(
    `The gateway listens on http://${address}:${bound} (${backend.kind}${cluster.token === null ? ', no token: this machine only' : ''}).\n`,
  )
  const end = () => {
    void server
      .close()
      .then(() => gateway.close())
      .then(() => process.exit(0))
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

/** Throws ArgumentError. */
function options() {
  const { values } = readArguments({
    options: {
      config: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      'allow-origin': { type: 'string', multiple: true },
      unpatch: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const port = values.port === undefined ? undefined : wholeNumber('port', values.port, 0, 65535)
  const origins = values['allow-origin'] ?? []
  const wrong = origins.find((value) => !isOrigin(value))
  if (wrong !== undefined) {
    throw new ArgumentError(`--allow-origin must be scheme, host and port, as https://page.example, not "${wrong}".`)
  }
  return { ...values, port, origins }
}

function say(message: string): void {
  process.stderr.write(`${message}\n`)
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

main().catch((error: unknown) => {
  const isExpected = [ArgumentError, ClusterFileError, GatewayProblem].some((kind) => error instanceof kind)
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE') say('The gateway cannot listen: the port is in use. Choose another --port.')
  else say(isExpected ? errorText(error) : stackOf(error))
  if (error instanceof ArgumentError) say(`\n${USAGE}`)
  process.exit(error instanceof ArgumentError ? 2 : 1)
})
