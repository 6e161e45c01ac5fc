import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OwnEnvironment } from '../../../src/worlds/own/environment.ts'
import { readModule } from '../../../src/worlds/own/module.ts'
import { OwnPlayService } from '../../../src/worlds/own/play-service.ts'
import { EXAMPLE, exampleModule, guestOf, worldOf } from './worlds.ts'

async function serviceFor(module = exampleModule()) {
  const service = new OwnPlayService()
  await service.load(module)
  return service
}

describe('an episode that is played again', () => {
  it('goes as it went in the environment, from the body of its task or drawn again from its id', async () => {
    const environment = new OwnEnvironment(await guestOf(exampleModule()))
    const service = await serviceFor()
    for (const split of ['train', 'id', 'ood'] as const) {
      const [task] = await environment.sampleTasks(split, 1, 7)
      const [start] = await environment.reset([{ episodeId: 'a', task: task!, maxSteps: 20 }])
      const commands = ['go north', 'nonsense', 'go east', 'take key']
      const texts = [start!.opening]
      for (const command of commands) {
        const [result] = await environment.step([{ episodeId: 'a', command }])
        texts.push(result!.observation)
      }
      const again = await service.play(task!, commands)
      expect(again!.map(({ text }) => text)).toEqual(texts)
      expect(await service.play({ id: task!.id, body: null }, commands)).toEqual(again)
      expect(again![0]).toMatchObject({ picture: null, outcome: 'open', distance: expect.any(Number) as number })
    }
  })

  it('is unknown where neither the log nor the id has its task', async () => {
    expect(await (await serviceFor()).play({ id: 'train/1~2', body: null }, [])).toBeNull()
  })

  it('of the example has the picture that the document adds to it', async () => {
    const [, lines] = /```ts\n( {2}picture.*?)```/s.exec(readFileSync('docs/own-worlds.md', 'utf8'))!
    const source = readFileSync(EXAMPLE, 'utf8').replace('  step,\n', `  step,\n${lines!}`)
    const service = await serviceFor(readModule(source, 'key-and-chest.ts'))
    const body = { size: 3, agent: [1, 1], key: [1, 2], chest: [3, 3], walls: [[2, 2]] }
    const moments = await service.play({ id: 'a', body }, ['go east', 'take key', 'go east'])
    expect(moments!.map(({ picture }) => picture)).toEqual([
      '@ k .\n. # .\n. . c',
      '. @ .\n. # .\n. . c',
      '. @ .\n. # .\n. . c',
      '. . @\n. # .\n. . c',
    ])
  })

  it('has a picture of each state if the world draws one, and an error names the part that fails', async () => {
    const picture = (body: string) => readModule(worldOf({ picture: `({ said }) => ${body}` }), 'mine.ts')
    const service = await serviceFor(picture(`'<' + said + '>'`))
    const moments = await service.play({ id: 'a', body: { number: 5 } }, ['4', '5'])
    expect(moments!.map((moment) => [moment.picture, moment.outcome])).toEqual([
      ['<null>', 'open'],
      ['<4>', 'open'],
      ['<5>', 'won'],
    ])
    const broken = await serviceFor(picture('5'))
    await expect(broken.play({ id: 'a', body: { number: 5 } }, [])).rejects.toThrow('`picture` of mine.ts is wrong')
  })
})
