/**
 * Prompts and parsers of the three roles in the household, for models that continue plain text.
 *
 * Unlike the released prompts, these list no admissible commands: the policy writes a command, and one that is not
 * admissible gets "Nothing happens.", as in ALFWorld itself.
 */
import { plainFormats } from '../../plain/roles.ts'

const INTRODUCTION = /^[^]*?(?=You are in the middle of a room)/
/** Most characters of an observation that a prompt quotes. Real ones (a full countertop) are shorter. */
const OBSERVATION_LIMIT = 2000

export const withoutWelcome = (opening: string) => opening.replace(INTRODUCTION, '')

export const householdFormats = plainFormats({
  scene: withoutWelcome,
  quoted: (observation) => observation.slice(0, OBSERVATION_LIMIT),
  authorMaxTokens: 24,
})
