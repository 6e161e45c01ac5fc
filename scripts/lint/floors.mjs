/**
 * Floors of the house: which folder may import which. Read by the linter (`one-way` below) and by test/structure.test.ts.
 *
 * A floor is a list of rooms; a room is a folder or a file below `under`. A file may import from its own room and from the rooms of
 * lower floors, never from a higher floor or from a neighbour on its own floor.
 */
import path from 'node:path'

export const HOUSES = [
  {
    under: 'src',
    floors: [
      ['method'],
      ['language-model', 'threads', 'storage'],
      ['worlds', 'roles', 'weight-formats'],
      ['engines', 'runs'],
      ['sessions'],
      ['cluster', 'pretraining', 'bench', 'results'],
      ['playground', 'cli'],
    ],
  },
  { under: 'src/playground', floors: [['kit'], ['run'], ['figures'], ['state'], ['worlds'], ['views'], ['shell']] },
  {
    under: 'src/playground/views',
    floors: [
      [
        'start',
        'story',
        'judge',
        'loop',
        'episodes',
        'tasks',
        'games',
        'learn',
        'runs',
        'results',
        'models',
        'cluster',
        'benchmark',
      ],
    ],
  },
  {
    under: 'src/playground/worlds',
    floors: [['world-page.ts'], ['theatre', 'made'], ['household', 'coding', 'desktop', 'own']],
  },
  {
    under: 'src/worlds',
    floors: [
      ['random.ts', 'stored-trajectories.ts', 'unknown-episode-error.ts', 'world.ts'],
      ['vote-words.ts', 'instruct', 'plain', 'sandbox'],
      ['household', 'coding', 'desktop', 'own'],
    ],
  },
  { under: 'src/engines', floors: [['remote', 'backends'], ['transformer'], ['openai', 'tinker', 'webllm']] },
  { under: 'src/cluster', floors: [['protocol.ts'], ['released'], ['gateway', 'client']] },
]

/** A file that is in no room, such as a registry, is on top: it may import every room. */
const TOP = Number.POSITIVE_INFINITY

/**
 * @param {string} file path from the project's root, with forward slashes
 * @param {(typeof HOUSES)[number]} house
 */
function place(file, house) {
  if (!file.startsWith(`${house.under}/`)) return null
  const room = file.slice(house.under.length + 1).split('/')[0]
  const floor = house.floors.findIndex((rooms) => rooms.includes(room))
  return { room, floor: floor < 0 ? TOP : floor }
}

/**
 * Why `from` may not import `to`; null where it may. Both are paths from the project's root, with forward slashes.
 * @param {string} from
 * @param {string} to
 */
export function refusal(from, to) {
  if (from.startsWith('src/') && !/^src\/(playground|cli)\//.test(from) && to.startsWith('workers/')) {
    return 'only the page and the command line start workers'
  }
  if (from.startsWith('workers/') && /^src\/(playground|cli)\//.test(to)) {
    return 'a worker knows neither the page nor the command line'
  }
  for (const house of HOUSES) {
    const here = place(from, house)
    const there = place(to, house)
    if (here === null || there === null || here.room === there.room) continue
    if (there.floor > here.floor || (there.floor === here.floor && there.floor !== TOP)) {
      const order = house.floors.map((rooms) => rooms.join(', ')).join(' <- ')
      return `under ${house.under}/ imports go ${order}`
    }
  }
  return null
}

/** ESLint rule: reports an import that goes up or sideways. */
export const oneWay = {
  meta: { type: 'problem', schema: [], messages: { refused: '{{from}} may not import {{to}}: {{why}}.' } },
  create(context) {
    const from = path.relative(context.cwd, context.filename).replaceAll('\\', '/')
    const check = (source) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return
      const target = path.resolve(path.dirname(context.filename), source.value)
      const to = path.relative(context.cwd, target).replaceAll('\\', '/')
      const why = refusal(from, to)
      if (why !== null) context.report({ node: source, messageId: 'refused', data: { from, to, why } })
    }
    return {
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    }
  },
}
