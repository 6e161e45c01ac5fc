/** The picture of a described screen. */
import { pictureOf } from './description.ts'
import { drawScreen } from './draw.ts'
import { png } from './png.ts'

/** Throws RangeError for a text that describes no screen. */
export const screenPng = async (description: string): Promise<Uint8Array> => png(drawScreen(pictureOf(description)))
