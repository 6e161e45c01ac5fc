/** Opens the desktop for a run. Its engine is fast enough for the loop's own thread: a step takes some microseconds. */
import { formatsFor } from '../instruct/formats-for.ts'
import type { OpenedWorld } from '../world.ts'
import { DesktopEnvironment } from './environment.ts'
import { desktopTrajectories } from './fixed-trajectories.ts'
import { desktopFormats } from './roles/plain-roles.ts'

/** A chat model was given a role. */
export class NoChatRolesError extends Error {
  constructor() {
    super(
      'The desktop has no prompts for chat models yet, so its roles need models that continue its plain text. ' +
        'Give all three roles the built-in models, or models made by npm run pretrain.',
    )
    this.name = 'NoChatRolesError'
  }
}

const ANYTHING = { plain: null, instruct: null }

export function openDesktop(): OpenedWorld {
  return {
    environment: new DesktopEnvironment(),
    /** Rejects with NoChatRolesError. */
    formatsFor: (pieces) => formatsFor(pieces, desktopFormats, () => Promise.reject(new NoChatRolesError())),
    grammars: () => Promise.resolve({ policy: ANYTHING, reward: ANYTHING, author: ANYTHING }),
    fixedTrajectories: async (text) => desktopTrajectories(text),
    close() {},
  }
}
