/** Opens the desktop for the command line. */
import { openDesktop } from '../../../worlds/desktop/open.ts'
import type { OpenWorld } from './open-world.ts'

export const open: OpenWorld = (request) => openDesktop(request, null)
