import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ClusterFileError, parseCluster } from '../../../src/cluster/gateway/cluster-file.ts'
import { clusterFile, TOKEN } from '../gateway-fixture.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cluster-file-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SOURCES: Record<string, (token: string) => string | null> = {
  '"token"': (token) => parseCluster(clusterFile(folder, { token }), 'cluster.yaml', {}).token,
  '"tokenFile"': (token) => {
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, `${token}\n`)
    return parseCluster(clusterFile(folder, { token: undefined, tokenFile }), 'cluster.yaml', {}).token
  },
  'the environment': (token) =>
    parseCluster(clusterFile(folder, { token: undefined }), 'cluster.yaml', { RLANYTHING_GATEWAY_TOKEN: token }).token,
}

describe.each(Object.entries(SOURCES))('a token from %s', (_, tokenFrom) => {
  it('is taken', () => expect(tokenFrom(TOKEN)).toBe(TOKEN))

  it.each([
    ['is too short', 'fifteen-letters'],
    ['has a space, which no request can send', 'correct horse battery'],
    ['has letters that a header cannot carry', 'größer-als-sechzehn'],
  ])('is refused if it %s', (_, token) => {
    let error: unknown
    try {
      tokenFrom(token)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ClusterFileError)
    expect(String(error)).toMatch(/cluster\.yaml: .*at least 16 .*no spaces.*openssl rand -hex 32/)
    expect(String(error)).not.toContain(token)
  })
})

it('takes an empty variable of the environment as no token', () => {
  const file = clusterFile(folder, { token: undefined, ray: { address: 'http://127.0.0.1:8265' } })
  const cluster = parseCluster(file, 'cluster.yaml', { RLANYTHING_GATEWAY_TOKEN: '', RAY_AUTH_TOKEN: '' })
  expect(cluster.token).toBeNull()
  expect(cluster.ray?.token).toBeNull()
})

it.each(['"token"', '"tokenFile"'])('refuses an empty %s in the cluster file', (source) => {
  expect(() => SOURCES[source]!('')).toThrow(ClusterFileError)
})
