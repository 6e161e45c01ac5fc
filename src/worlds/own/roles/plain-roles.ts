/** Prompts and parsers of the three roles in any world from a file, for small models that continue plain text. */
import { plainFormats } from '../../plain/roles.ts'

export const ownFormats = plainFormats({ authorMaxTokens: 24 })
