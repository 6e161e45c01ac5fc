/** nginx and Caddy with the configurations of docs/hosting.md, which are read from there. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get as getInsecurely } from 'node:http'
import { get as getSecurely } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { freePort } from '../local-server.ts'

/** `files` sends dist/ from a folder, `proxy` stands in front of `npm start`. */
const WAYS = ['files', 'proxy'] as const
export type Way = (typeof WAYS)[number]

export interface Place {
  host: string
  way: Way
  /** Where `npm start` listens, for a proxy. */
  behind?: number
}

export interface WebServer {
  /** Address of the page's folder, ending in a slash. */
  address: string
  close(): Promise<void>
}

export interface Program {
  name: 'nginx' | 'Caddy'
  isInstalled: boolean
  /** What the program serves by here; Caddy has a certificate of its own for https. */
  scheme: 'http' | 'https'
  serve(place: Place): Promise<WebServer>
}

const isInstalled = (command: string, flag: string) => spawnSync(command, [flag]).status === 0

/** The configuration of the documentation for a program: first for files, then for a proxy. */
function documented(language: 'nginx' | 'caddyfile', way: Way): string {
  const text = readFileSync(join(root, 'docs', 'hosting.md'), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)].filter((block) => block[1] === language)
  expect(blocks).toHaveLength(WAYS.length)
  return blocks[WAYS.indexOf(way)]![2]!
}

/** Replaces what must be in the text once. */
function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, to)
}

/** The documented configuration with the folder, or the server behind the proxy, of this test. */
function siteOf(language: 'nginx' | 'caddyfile', way: Way, www: string, behind: number | undefined): string {
  const [from, to] = way === 'files' ? ['/srv/www', www] : ['localhost:4173', `localhost:${behind}`]
  return replaced(documented(language, way), from, to)
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Asks without a browser, trusts any certificate, and follows no redirection. */
export const ask = (address: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { headers, rejectUnauthorized: false, agent: false }
    const get = address.startsWith('https') ? getSecurely : getInsecurely
    get(address, options, (response) => {
      response.resume()
      resolve({ status: response.statusCode!, headers: response.headers })
    }).on('error', reject)
  })

/** What the documentation calls /srv/www, where the configuration goes, and what it has of its own. */
function workspace(way: Way) {
  const folder = mkdtempSync(join(tmpdir(), 'web-server-'))
  const www = join(folder, 'www')
  mkdirSync(www)
  // A link, because a copy is forty megabytes.
  if (way === 'files') symlinkSync(join(root, 'dist'), join(www, 'rlanything'), 'dir')
  return { folder, www }
}

async function start(
  { folder, command, args, env }: { folder: string; command: string; args: readonly string[]; env?: NodeJS.ProcessEnv },
  origin: string,
): Promise<WebServer> {
  const child = spawn(command, args, { env: { ...process.env, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  const ended = once(child, 'exit')
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended at once: ${said}`)
    return ask(`${origin}/`).then(
      () => true,
      () => false,
    )
  }
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    address: `${origin}/rlanything/`,
    async close() {
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

const nginx: Program = {
  name: 'nginx',
  isInstalled: isInstalled('nginx', '-v'),
  scheme: 'http',
  async serve({ host, way, behind }) {
    const { folder, www } = workspace(way)
    const port = await freePort(host)
    const site = replaced(siteOf('nginx', way, www, behind), 'server {', `server {\n  listen ${host}:${port};`)
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    )
    const config = [
      // Started by root, it would read the files as somebody who may not.
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `daemon off; pid ${join(folder, 'pid')}; error_log stderr;`,
      'events {}',
      `http { include /etc/nginx/mime.types; default_type application/octet-stream; access_log off; ${places.join(' ')}`,
      site,
      '}',
    ]
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, config.join('\n'))
    return start({ folder, command: 'nginx', args: ['-c', file, '-e', 'stderr'] }, `http://${host}:${port}`)
  },
}

const caddy: Program = {
  name: 'Caddy',
  isInstalled: isInstalled('caddy', 'version'),
  scheme: 'https',
  async serve({ host, way, behind }) {
    const { folder, www } = workspace(way)
    const port = await freePort(host)
    const origin = `https://${host}:${port}`
    const site = replaced(siteOf('caddyfile', way, www, behind), 'your.host', origin)
    const file = join(folder, 'Caddyfile')
    // A certificate of its own for an address of this machine, which it does not add to those that the machine trusts.
    const options = `{\n  admin off\n  skip_install_trust\n  auto_https disable_redirects\n  default_sni ${host}\n  local_certs\n}\n`
    writeFileSync(file, options + site)
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
    const args = ['run', '--config', file, '--adapter', 'caddyfile']
    return start({ folder, command: 'caddy', args, env }, origin)
  },
}

export const PROGRAMS: readonly Program[] = [nginx, caddy]
