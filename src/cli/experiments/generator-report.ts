/**
 * How well generated full scenes agree with the official games, table by table, and whether they can be played.
 *
 * The official games' counts are committed with the generator; where the games themselves are at hand, they are counted
 * again first. Their own split sizes decide how many games of each split are drawn for the comparison.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countedGames, officialGamesFile } from '../../../test/worlds/household/official-counts.ts'
import { officialSplitSizes, rooms, type Room } from '../../worlds/household/scenes/corpus-statistics.ts'
import { playExpert } from '../../worlds/household/planning/expert.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import { generateGame } from '../../worlds/household/scenes/generator.ts'
import { goodnessOfFit } from '../../worlds/household/scenes/goodness-of-fit.ts'
import { Knowledge } from '../../worlds/household/planning/knowledge.ts'
import { distanceToGoal } from '../../worlds/household/planning/plan.ts'
import { seededRandom } from '../../worlds/random.ts'
import {
  differencesOf,
  formatRoomCounts,
  row,
  totalOf,
  type SceneCounts,
} from '../../worlds/household/scenes/full/scene-counts.ts'
import { countScenes } from '../../worlds/household/scenes/scene-observations.ts'
import { sceneStatistics } from '../../worlds/household/scenes/full/scene-statistics.ts'
import { sceneTables } from '../../worlds/household/scenes/scene-tables.ts'
import { splits } from '../../worlds/household/scenes/splits.ts'
import { startGame } from '../../worlds/household/engine/state.ts'

function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** @param games to compare, in the official proportion of splits; as many of each split are played. */
export function generatorReport(games: number): void {
  reportCommittedCounts()
  reportFits(games)
  reportPlay(games)
}

function reportCommittedCounts(): void {
  const file = officialGamesFile()
  if (file === null)
    return print('The official games are not at hand; the committed counts of them stand in for them.\n')
  const differences = differencesOf(sceneStatistics, countScenes(countedGames(file)))
  print(`The committed counts differ from the official games' in ${differences.length} rows.`)
  for (const difference of differences) print(`  ${difference}`)
  print()
}

/** Counts the official games and writes the module with their counts. Throws if they are not at hand. */
export function recount(): void {
  const file = officialGamesFile()
  if (file === null) {
    throw new Error('The official games are not at hand. Put their folder into ALFWORLD_DATA and count again.')
  }
  const counts = countScenes(countedGames(file))
  const texts = rooms.map((room) => `  ${room}: parseRoomCounts(\`\n${formatRoomCounts(counts[room])}\n\`),\n`)
  const target = join(import.meta.dirname, '../../worlds/household/scenes/full/scene-statistics.ts')
  writeFileSync(
    target,
    `/**
 * What the official games have, counted: the 3,827 of alfworld's training and validation splits (json_2.1.3, without
 * "valid_train"). \`scene-observations.ts\` says what each row counts. Marginal counts only: which receptacles stand
 * together in one official floor plan cannot be read from them.
 *
 * Written by \`npm run experiments -- generator --recount\`.
 */
import { parseRoomCounts, type SceneCounts } from './scene-counts.ts'

export const sceneStatistics: SceneCounts = {
${texts.join('')}}
`,
  )
  print(`Counted into ${target}.`)
}

/** The first games of each split, as many as its share of the official games. */
export function gamesInProportion(count: number): HouseholdGame[] {
  const total = splits.reduce((sum, split) => sum + officialSplitSizes[split], 0)
  return splits.flatMap((split) => {
    const length = Math.round((count * officialSplitSizes[split]) / total)
    return Array.from({ length }, (_, seed) => generateGame({ seed, split, sceneSize: 'full' }))
  })
}

function reportFits(count: number): void {
  const games = gamesInProportion(count)
  const numbers = splits.map((split) => `${split} ${games.filter((game) => game.origin?.split === split).length}`)
  print(
    `${games.length} generated games (${numbers.join(', ')}; seeds from 0) against the counts of 3,827 official ones.`,
  )
  print(`χ² is Pearson's, χ²' is corrected for answers of one game being no independent ones (Rao and Scott, 1984).`)
  print(`new: answers that no official game gives.`)
  print(`TV: share of answers that would have to be others; by chance: what exact shares would give at this number.\n`)
  const heads = ['table', 'answers', 'new', 'χ²', 'df', "χ²'", "df'", 'p', 'V', 'TV', 'by chance']
  const lines = sceneTables(sceneStatistics).map((table) => {
    const fit = goodnessOfFit(
      games.map((game) => table.observe(game)).filter((answers) => answers.length > 0),
      table.shares,
    )
    return [
      table.name,
      String(fit.answers),
      String(fit.unknown),
      fit.chiSquared.toFixed(1),
      String(fit.degrees),
      fit.correctedChiSquared.toFixed(1),
      fit.correctedDegrees.toFixed(1),
      fit.p.toPrecision(2),
      fit.cramersV.toFixed(3),
      percent(fit.totalVariation),
      percent(fit.totalVariationByChance),
    ]
  })
  printTable([heads, ...lines])
  print()
  reportSizes(countScenes(games))
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

function reportSizes(counts: SceneCounts): void {
  const lines = rooms.map((room) => {
    const cells = ['receptacles', 'objects', 'pickupable', 'doubles', 'insides'].flatMap((what) => {
      const question = what === 'doubles' || what === 'insides' ? what : `size ${what}`
      return [counts, sceneStatistics].map((each) => meanOf(each, room, question).toFixed(2))
    })
    return [room, ...cells]
  })
  const heads = [
    'mean per game',
    ...['receptacles', 'objects', 'pickupable', 'in two', 'inside'].flatMap((name) => [name, 'official']),
  ]
  printTable([heads, ...lines])
  for (const question of ['visible', 'doubles', 'insides', 'sharing']) {
    const [ours, theirs] = [counts, sceneStatistics].map((each) => percent(shareWithAny(each, question)))
    print(`Games with "${question}": ${ours}, official ${theirs}.`)
  }
  print()
}

function meanOf(counts: SceneCounts, room: Room, question: string): number {
  const answers = row(counts[room], question)
  let sum = 0
  for (const [answer, count] of answers) sum += Number(answer) * count
  return sum / totalOf(answers)
}

function shareWithAny(counts: SceneCounts, question: string): number {
  let any = 0
  let all = 0
  for (const room of rooms) {
    for (const [answer, count] of row(counts[room], question)) {
      all += count
      if (answer !== '0' && answer !== 'no') any += count
    }
  }
  return any / all
}

/** Games before the clock runs, so that every room's laws are fitted and the code is compiled. */
const warmUp = 300

/** Makes games of every split, lets the expert play them, and asks for the distance to the goal from the start. */
function reportPlay(count: number): void {
  const heads = [
    'split',
    'games per CPU second',
    'floor plans',
    'won at reset',
    'endless',
    'solved in 50',
    'steps',
    'most',
    'distance',
    'most',
  ]
  const lines = splits.map((split) => {
    for (let seed = count; seed < count + warmUp; seed++) generateGame({ seed, split, sceneSize: 'full' })
    const before = process.cpuUsage()
    const games = Array.from({ length: count }, (_, seed) => generateGame({ seed, split, sceneSize: 'full' }))
    const { user, system } = process.cpuUsage(before)
    const starts = games.map((game) => startGame(game))
    const distances = starts.map(distanceToGoal)
    const plays = starts.map((state, i) => playExpert(state, new Knowledge(games[i]!), seededRandom('report', i)))
    const steps = plays.map(({ commands }) => commands.length)
    return [
      split,
      (count / ((user + system) / 1e6)).toFixed(0),
      String(new Set(games.map((game) => game.floorPlan)).size),
      String(starts.filter(({ won }) => won).length),
      String(distances.filter((distance) => distance === Infinity).length),
      `${plays.filter(({ won }) => won).length} of ${count}`,
      mean(steps).toFixed(1),
      String(Math.max(...steps)),
      mean(distances).toFixed(1),
      String(Math.max(...distances)),
    ]
  })
  print(`${count} games of each split: made, measured, and played by an expert who sees what an agent sees.`)
  printTable([heads, ...lines])
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length

/** Names to the left, numbers to the right. */
function printTable(lines: readonly (readonly string[])[]): void {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    print(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
  }
}
