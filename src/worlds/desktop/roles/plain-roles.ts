/** Prompts and parsers of the three roles on the desktop, for models that continue plain text. */
import { plainFormats } from '../../plain/roles.ts'

export const desktopFormats = plainFormats({ authorMaxTokens: 16 })
