/** The linters' own rules of this project, as a plugin. */
import { oneWay } from './floors.mjs'

export default { meta: { name: 'house' }, rules: { 'one-way': oneWay } }
