/** Complete addresses to hand on: of a step, of a moment of the first screen, and of a lesson. */
import { presetSettings } from '../../method/presets.ts'
import type { World } from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'
import { DEFAULT_ITERATIONS, type Configuration } from '../run/configuration.ts'
import type { Citation } from './citation.ts'
import { writeLink, type Hideable } from './link.ts'
import { isDefault, momentFields, type LinkedMoment } from './page-link.svelte.ts'
import { addressOf, FIRST_VIEW } from './views.ts'

/** Opens the first screen at a step of its episode, under a λ. The controls of a run get the world's own settings. */
export async function addressOfMoment(moment: LinkedMoment, world: World): Promise<string> {
  return complete(addressOf(FIRST_VIEW, await linkUnlessDefault(ownContent(world)), momentFields(moment)))
}

/**
 * Opens the episodes at a step of a world's shipped run, or of a kept run, whatever is on the controls. A `lambda` that is
 * tried on the shipped run is tried where the link is opened, too.
 */
export async function addressOfStep({ at, run }: Citation, world: World, lambda?: number): Promise<string> {
  const link = run !== undefined ? '' : await linkUnlessDefault(ownContent(world, lambda))
  return complete(addressOf('episodes', link, { at, ...(run !== undefined && { run }) }))
}

/** Opens a lesson with its settings, without the parts that it does not need. */
export async function addressOfLesson(
  lesson: string,
  content: Configuration,
  hidden: readonly Hideable[],
): Promise<string> {
  return complete(addressOf('learn', await writeLink(content, hidden), { lesson }))
}

/** The configuration of a link; empty for the one that the page opens with. */
async function linkUnlessDefault(content: Configuration): Promise<string> {
  return isDefault(content) ? '' : writeLink(content)
}

const complete = (address: string): string => location.href.replace(/#.*$/s, '') + address

/** A world's own settings, as in its shipped run, with another λ. */
function ownContent(world: World, lambda?: number): Configuration {
  const preset = WORLDS[world].presets.own
  const settings = presetSettings(preset)
  return {
    preset,
    settings: lambda === undefined ? settings : { ...settings, lambda },
    backend: 'auto',
    iterations: DEFAULT_ITERATIONS,
  }
}
