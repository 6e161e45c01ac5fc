/**
 * Counts over the official games: the 3,827 of alfworld's training and validation splits (json_2.1.3, without "valid_train").
 * `observationsOf` in test/worlds/household/generator/scene-observations.ts defines what each row counts, and full.test.ts
 * recounts them if the official games are present. These are marginal counts, which do not reveal the official floor plans.
 */
import { parseRoomCounts, type SceneCounts } from './scene-counts.ts'
import rows from './scene-statistics.json' with { type: 'json' }

export const sceneStatistics: SceneCounts = {
  kitchen: parseRoomCounts(rows.kitchen),
  livingRoom: parseRoomCounts(rows.livingRoom),
  bedroom: parseRoomCounts(rows.bedroom),
  bathroom: parseRoomCounts(rows.bathroom),
}
