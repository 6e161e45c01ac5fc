/** Draws the scene of a moment apart from the page, as a text that a picture can contain. */
import { flushSync, mount, unmount } from 'svelte'
import type { World } from '../../../method/settings.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { TellingEpisode } from '../../../runs/telling-episode.ts'
import { drawnSvg, type DrawnSvg } from '../../kit/picture/drawn-svg.ts'
import { WORLD_PAGES } from '../index.ts'

/** Null for a world whose picture is no drawing. */
export async function sceneOf(world: World, run: RunView, telling: TellingEpisode): Promise<DrawnSvg | null> {
  const { default: Picture } = await WORLD_PAGES[world].loadPicture()
  const target = document.createElement('div')
  target.className = 'visually-hidden'
  target.inert = true
  document.body.append(target)
  const at = telling.group.kind === 'steps' ? telling.step + 1 : 0
  const { episode } = telling.group.episodes[telling.trajectory]!
  const picture = mount(Picture, { target, props: { run, episode, telling, at } })
  try {
    flushSync()
    const svg = target.querySelector<SVGSVGElement>('svg[role=img]')
    return svg && drawnSvg(svg)
  } finally {
    await unmount(picture)
    target.remove()
  }
}
