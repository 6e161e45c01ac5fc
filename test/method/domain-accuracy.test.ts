import { expect, it } from 'vitest'
import { accuracyByDomain } from '../../src/method/domain-accuracy.ts'
import type { Task } from '../../src/method/ports.ts'
import { logOf, ofType, request, smallSettings, world } from './corridor.ts'

it('accuracy by domain counts all episodes of a domain, in the order of the alphabet', () => {
  const task: Task = { id: 't', rootId: 't', instruction: '', kind: 'k', body: null }
  const group = (domain: string | undefined, ...outcomes: number[]) => ({
    task: { ...task, ...(domain !== undefined && { domain }) },
    rollouts: outcomes.map((outcome) => ({ episode: { outcome } }) as never),
  })
  const groups = [group('sheet', 1, -1), group('mail', -1), group('sheet', 1, 1), group(undefined, 1)]
  expect(Object.entries(accuracyByDomain(groups))).toEqual([
    ['mail', 0],
    ['sheet', 0.75],
  ])
})

it('a run measures it where its tasks have domains, and logs nothing about it elsewhere', async () => {
  const settings = smallSettings({ evaluateEvery: 1, evaluationTasks: 4, taskPoolSize: 8, tasksPerIteration: 4 })
  const plain = await logOf(world({ lengths: [1, 2, 3] }), request(settings, { iterations: 1 }))
  expect(ofType(plain, 'evaluation').some((event) => 'domains' in event)).toBe(false)
  const ports = world({ lengths: [1, 2, 3] })
  const { environment } = ports
  const sampleTasks: typeof environment.sampleTasks = async (...draw) =>
    (await environment.sampleTasks(...draw)).map((task, index) => ({ ...task, domain: index % 2 ? 'odd' : 'even' }))
  const log = await logOf(
    {
      ...ports,
      environment: new Proxy(environment, {
        get: (target, key) => (key === 'sampleTasks' ? sampleTasks : bound(target, key)),
      }),
    },
    request(settings, { iterations: 1 }),
  )
  for (const { acc, domains } of ofType(log, 'evaluation')) {
    expect(Object.keys(domains!)).toEqual(['even', 'odd'])
    expect((domains!['even']! + domains!['odd']!) / 2).toBeCloseTo(acc, 12)
  }
  const { metrics } = ofType(log, 'iteration-finished')[0]!
  expect(metrics['policy/acc/even'] ?? metrics['policy/acc/odd']).toBeTypeOf('number')
})

function bound<T extends object>(target: T, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key)
  return typeof value === 'function' ? (value.bind(target) as unknown) : value
}
