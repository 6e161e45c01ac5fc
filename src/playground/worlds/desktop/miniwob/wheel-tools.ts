/** What reads, keeps and checks a wheel; loaded when there is one. */
import { checkPage, type PageCheck } from '../../../../worlds/desktop/miniwob/check-page.ts'
import { pageDocument } from '../../../../worlds/desktop/miniwob/page-document.ts'
import { WheelLibrary } from '../../../../worlds/desktop/miniwob/wheel-library.ts'
import type { TaskPage, Wheel } from '../../../../worlds/desktop/miniwob/wheel.ts'
import type { Stage } from './stage.ts'

export { readWheel } from '../../../../worlds/desktop/miniwob/wheel.ts'
export { openStage } from './stage.ts'

export const library = new WheelLibrary()

export async function checkOf(stage: Stage, wheel: Wheel, page: TaskPage): Promise<PageCheck> {
  const { document, missing } = pageDocument(wheel, page)
  if (document === null) return { problem: `The wheel lacks ${missing}, which it loads.`, hasPictures: false }
  return checkPage(stage.open, document)
}
