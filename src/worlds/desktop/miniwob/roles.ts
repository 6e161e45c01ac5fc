/** The prompt of a chat model that plays MiniWoB++'s pages; ../../instruct/step-roles.ts has its form. */
import type { ChatPieces } from '../../../method/chat-pieces.ts'
import type { RoleFormats } from '../../../method/ports.ts'
import { stepPolicy, type StepWorld } from '../../instruct/step-roles.ts'
import { KEY_NAMES } from './commands.ts'

/** A page of 300 elements fits. */
const PAGE: StepWorld = { voice: 'Page', longestQuoted: 24_000 }

const INSTRUCTIONS = `You use a small web page, one command at a time. Do what the task asks; the page itself decides when it is done.

You are shown everything on the page, a line each: its number, what it is, its id and classes after # and ., its text in quotes, \
"=" with what it contains, its colour, and its left and top edge, width and height in pixels.

Commands; a place is the number of an element, or the x and y of a point:
- click (place): an option of a menu is chosen by a click on it
- type (words): into the field that has the focus, behind what it contains; dates as 2026-01-31, times as 13:05
- key (one of ${KEY_NAMES.join(', ')}, or a character; with "ctrl" before it): "key ctrl a" selects all of a field, c copies what \
is selected, v pastes it
- hover (place): moves the mouse there
- drag (place) to (place)
- select (number): selects the text of an element
- scroll (number) up, scroll (number) down
- wait: lets half a second pass, as every command does

"Nothing happens." means that the command cannot be carried out.

Think first, in one to three short sentences. Then write the command in a last line of this form:
Action: click 4`

export function miniwobPolicy(pieces: ChatPieces): RoleFormats['policy'] {
  return { ...stepPolicy(pieces, PAGE, INSTRUCTIONS, (command) => command), responseEnd: pieces.responseEnd }
}
