/**
 * Rounded statistics of the 4,027 official games: room mix, receptacles and objects per room, and where objects start. Compact
 * scenes, rewrites and the expert use these; full scenes use the exact counts in `scene-statistics.ts`. Counted over the game files of alfworld 0.4.2 (json_2.1.3); shares are percentages.
 */
import type { TaskType } from '../engine/game.ts'

export const rooms = ['kitchen', 'livingRoom', 'bedroom', 'bathroom'] as const

export type Room = (typeof rooms)[number]

/** The first of a room's 30 floor plan numbers, and the numbers that no game has. */
export const floorPlanNumbers: Readonly<Record<Room, { first: number; missing: readonly number[] }>> = {
  kitchen: { first: 1, missing: [9, 29] },
  livingRoom: { first: 201, missing: [215, 226] },
  bedroom: { first: 301, missing: [315, 325] },
  bathroom: { first: 401, missing: [404, 425] },
}

/** The four floor plans that do not occur in training. */
export const unseenFloorPlans: readonly number[] = [10, 219, 308, 424]

/** Number of games in "train", "valid_seen" and "valid_unseen", which correspond to our splits. */
export const officialSplitSizes = { train: 3553, id: 140, ood: 134 } as const

/** Games per task type and room over all splits; rooms without games are omitted. */
export const taskMix: Readonly<Record<TaskType, Readonly<Partial<Record<Room, number>>>>> = {
  pick_and_place_simple: { kitchen: 101, livingRoom: 237, bedroom: 263, bathroom: 294 },
  look_at_obj_in_light: { livingRoom: 54, bedroom: 304 },
  pick_clean_then_place_in_recep: { kitchen: 568, bathroom: 177 },
  pick_heat_then_place_in_recep: { kitchen: 523 },
  pick_cool_then_place_in_recep: { kitchen: 607 },
  pick_two_obj_and_place: { kitchen: 132, livingRoom: 242, bedroom: 263, bathroom: 262 },
}

/** Odds of 1, 2, 3 and 4 objects of the goal's type. */
export const targetCounts: readonly number[] = [28, 32, 24, 17]

/** Percentage of the receptacles of a type that can be opened; 0 for types not listed. */
export const openableShare: Readonly<Record<string, number>> = {
  fridge: 100,
  microwave: 100,
  cabinet: 82,
  drawer: 84,
  safe: 87,
}

interface CountLaw {
  /** Share of the room's games that have the type, in percent. */
  share: number
  min: number
  max: number
  /** Mean over the games that have the type. */
  mean: number
}

/** "cabinet 100% 2-27 (13.3)" */
function countLaws(table: string): Readonly<Record<string, CountLaw>> {
  return Object.fromEntries(
    [...table.matchAll(/(\w+) (\d+)% (\d+)-(\d+) \(([\d.]+)\)/g)].map(([, type, share, min, max, mean]) => [
      type!,
      { share: Number(share), min: Number(min), max: Number(max), mean: Number(mean) },
    ]),
  )
}

export const receptacleCounts: Readonly<Record<Room, Readonly<Record<string, CountLaw>>>> = {
  kitchen: countLaws(
    'cabinet 100% 2-27 (13.3), coffeemachine 100% 1-1 (1.0), countertop 100% 1-4 (2.3), diningtable 54% 1-3 ' +
      '(1.3), drawer 97% 1-27 (6.0), fridge 100% 1-1 (1.0), garbagecan 100% 1-1 (1.0), microwave 100% 1-1 ' +
      '(1.0), safe 4% 1-1 (1.0), shelf 23% 3-3 (3.0), sidetable 10% 1-1 (1.0), sinkbasin 100% 1-1 (1.0), ' +
      'stoveburner 100% 4-6 (4.1), toaster 100% 1-1 (1.0)',
  ),
  livingRoom: countLaws(
    'armchair 92% 1-3 (1.4), cabinet 18% 1-8 (4.2), coffeetable 81% 1-2 (1.2), desk 1% 1-1 (1.0), diningtable ' +
      '47% 1-2 (1.2), drawer 78% 1-21 (5.2), dresser 39% 1-2 (1.1), garbagecan 100% 1-1 (1.0), ottoman 12% 1-1 ' +
      '(1.0), safe 4% 1-1 (1.0), shelf 38% 1-14 (6.4), sidetable 82% 1-5 (2.0), sofa 100% 1-2 (1.2), tvstand ' +
      '34% 1-2 (1.2)',
  ),
  bedroom: countLaws(
    'armchair 18% 1-3 (1.6), bed 100% 1-2 (1.2), cabinet 15% 1-4 (2.7), countertop 3% 1-1 (1.0), desk 71% 1-2 ' +
      '(1.2), diningtable 12% 1-1 (1.0), drawer 96% 2-17 (6.1), dresser 44% 1-2 (1.1), garbagecan 100% 1-1 ' +
      '(1.0), laundryhamper 30% 1-1 (1.0), safe 20% 1-1 (1.0), shelf 69% 1-14 (4.5), sidetable 63% 1-2 (1.3)',
  ),
  bathroom: countLaws(
    'bathtubbasin 65% 1-1 (1.0), cabinet 46% 2-9 (4.3), cart 8% 1-1 (1.0), countertop 86% 1-2 (1.2), drawer ' +
      '56% 1-8 (4.7), dresser 8% 1-1 (1.0), garbagecan 100% 1-1 (1.0), handtowelholder 100% 1-4 (1.5), shelf ' +
      '25% 1-4 (2.0), sidetable 6% 1-1 (1.0), sinkbasin 100% 1-2 (1.5), toiletpaperhanger 100% 1-1 (1.0), ' +
      'toilet 100% 1-1 (1.0), towelholder 100% 1-2 (1.3)',
  ),
}

interface ObjectLaw {
  /** Share of the room's games that have the type, in percent. */
  share: number
  /** Mean over the games that have the type. */
  mean: number
}

/** "apple 100% 2.0" */
function objectLaws(table: string): Readonly<Record<string, ObjectLaw>> {
  return Object.fromEntries(
    [...table.matchAll(/(\w+) (\d+)% ([\d.]+)/g)].map(([, type, share, mean]) => [
      type!,
      { share: Number(share), mean: Number(mean) },
    ]),
  )
}

/** Omits types that are always out of reach. The goal's own type follows `targetCounts` instead. */
export const objectCounts: Readonly<Record<Room, Readonly<Record<string, ObjectLaw>>>> = {
  kitchen: objectLaws(
    'apple 100% 2.0, book 11% 1.5, bowl 100% 2.0, bread 100% 1.6, butterknife 97% 1.9, cellphone 15% 2.0, ' +
      'creditcard 13% 2.1, cup 100% 2.0, dishsponge 100% 2.0, egg 100% 2.0, fork 100% 2.0, glassbottle 26% 2.0, ' +
      'houseplant 39% 1.1, kettle 48% 1.7, knife 100% 1.9, ladle 32% 2.0, lettuce 100% 1.8, mug 100% 1.9, pan ' +
      '100% 1.3, papertowelroll 38% 1.0, pen 6% 2.0, pencil 7% 1.8, peppershaker 100% 2.1, plate 100% 1.8, pot ' +
      '100% 1.5, potato 100% 1.9, saltshaker 100% 2.0, soapbottle 100% 2.0, spatula 100% 1.9, spoon 100% 2.0, ' +
      'spraybottle 6% 1.9, statue 19% 1.7, tomato 100% 2.0, vase 19% 2.5, winebottle 39% 2.0',
  ),
  livingRoom: objectLaws(
    'book 23% 1.7, bowl 10% 1.8, box 100% 1.4, candle 9% 2.5, cellphone 22% 1.9, creditcard 100% 2.1, ' +
      'desklamp 25% 1.0, floorlamp 100% 1.0, houseplant 100% 1.1, keychain 100% 2.0, laptop 100% 1.4, newspaper ' +
      '57% 1.8, pen 19% 2.0, pencil 16% 2.0, pillow 100% 1.1, plate 33% 1.7, remotecontrol 100% 2.0, statue 96% ' +
      '2.3, television 100% 1.0, tissuebox 33% 2.1, vase 55% 2.7, watch 48% 2.1, wateringcan 48% 1.1',
  ),
  bedroom: objectLaws(
    'alarmclock 100% 1.7, book 100% 1.8, bowl 46% 1.5, box 45% 1.0, cd 100% 2.0, cellphone 100% 2.0, cloth ' +
      '18% 1.9, creditcard 100% 2.0, desklamp 72% 1.1, houseplant 26% 1.0, keychain 100% 2.0, laptop 100% 1.6, ' +
      'mug 52% 1.9, pen 100% 2.1, pencil 100% 2.0, pillow 100% 1.7, remotecontrol 11% 2.0, statue 13% 1.5, ' +
      'teddybear 34% 1.0, television 12% 1.0, tissuebox 12% 1.8, vase 5% 2.1, watch 6% 2.0',
  ),
  bathroom: objectLaws(
    'candle 100% 2.0, cloth 100% 1.9, dishsponge 19% 2.1, floorlamp 8% 2.0, handtowel 100% 1.2, houseplant 4% ' +
      '1.0, papertowelroll 16% 1.0, soapbar 100% 2.0, soapbottle 100% 1.9, spraybottle 100% 2.0, tissuebox 23% ' +
      '1.8, toiletpaper 100% 2.3, towel 100% 1.1',
  ),
}

/** Where objects of a type start, in percent. The rest up to 100 is spread over other receptacles that accept them. */
export const startPlacement: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  alarmclock: { desk: 34, shelf: 22, sidetable: 18, dresser: 17, diningtable: 7, countertop: 1 },
  apple: { fridge: 24, countertop: 24, diningtable: 14, microwave: 13, garbagecan: 13, sinkbasin: 9 },
  baseballbat: { nowhere: 100 },
  basketball: { nowhere: 100 },
  book: { bed: 38, desk: 14, countertop: 10, drawer: 10, dresser: 6, diningtable: 5 },
  boots: { nowhere: 100 },
  bowl: { cabinet: 29, fridge: 18, countertop: 18, diningtable: 14, desk: 6, shelf: 6 },
  box: { nowhere: 37, diningtable: 14, sofa: 14, coffeetable: 12, shelf: 5, sidetable: 5 },
  bread: { countertop: 56, diningtable: 30, fridge: 13 },
  butterknife: { countertop: 58, diningtable: 25, drawer: 8, sinkbasin: 6, nowhere: 3, sidetable: 1 },
  candle: { countertop: 26, toilet: 25, cabinet: 12, drawer: 11, nowhere: 9, shelf: 6 },
  cd: { drawer: 24, desk: 18, nowhere: 14, dresser: 12, sidetable: 10, garbagecan: 7 },
  cellphone: { drawer: 21, bed: 20, desk: 12, countertop: 11, dresser: 8, sidetable: 8 },
  cloth: { bathtubbasin: 24, cabinet: 18, nowhere: 16, countertop: 14, drawer: 12, sinkbasin: 6 },
  creditcard: { drawer: 25, shelf: 14, sidetable: 11, desk: 9, dresser: 8, countertop: 7 },
  cup: { cabinet: 23, fridge: 21, countertop: 21, diningtable: 14, sinkbasin: 10, microwave: 7 },
  desklamp: { sidetable: 37, desk: 31, dresser: 19, shelf: 12, coffeetable: 1 },
  dishsponge: { countertop: 25, cabinet: 22, drawer: 20, diningtable: 11, sinkbasin: 8, garbagecan: 5 },
  egg: { fridge: 24, countertop: 23, sinkbasin: 13, garbagecan: 13, microwave: 12, diningtable: 11 },
  floorlamp: { nowhere: 93, sinkbasin: 7 },
  fork: { countertop: 42, diningtable: 22, drawer: 22, sinkbasin: 9, nowhere: 4, sidetable: 1 },
  glassbottle: { cabinet: 32, countertop: 28, diningtable: 11, sinkbasin: 9, garbagecan: 7, fridge: 7 },
  handtowel: { handtowelholder: 96, countertop: 4 },
  kettle: { stoveburner: 41, countertop: 25, cabinet: 24, diningtable: 7, sinkbasin: 2 },
  keychain: { drawer: 20, sidetable: 14, nowhere: 11, shelf: 11, desk: 10, dresser: 9 },
  knife: { countertop: 47, diningtable: 23, drawer: 19, nowhere: 5, sinkbasin: 4 },
  ladle: { countertop: 40, cabinet: 24, drawer: 17, diningtable: 13, nowhere: 4, sinkbasin: 2 },
  laptop: { bed: 47, desk: 12, sofa: 10, diningtable: 9, coffeetable: 9, dresser: 5 },
  lettuce: { countertop: 41, diningtable: 27, fridge: 23, sinkbasin: 5, nowhere: 2, sidetable: 1 },
  mug: { countertop: 23, coffeemachine: 14, cabinet: 13, fridge: 11, diningtable: 9, microwave: 6 },
  newspaper: { sofa: 20, coffeetable: 17, diningtable: 16, sidetable: 14, shelf: 11, dresser: 9 },
  pan: { stoveburner: 53, countertop: 32, cabinet: 7, fridge: 4, diningtable: 4 },
  papertowelroll: { countertop: 51, garbagecan: 16, diningtable: 13, shelf: 11, toilet: 3, nowhere: 3 },
  pencil: { desk: 20, drawer: 20, sidetable: 16, shelf: 15, dresser: 10, diningtable: 7 },
  pen: { desk: 22, drawer: 18, dresser: 13, shelf: 13, sidetable: 13, diningtable: 9 },
  peppershaker: { cabinet: 33, countertop: 31, diningtable: 16, drawer: 15, shelf: 4, sidetable: 2 },
  pillow: { bed: 69, sofa: 24, armchair: 7 },
  plate: { cabinet: 35, countertop: 25, diningtable: 17, fridge: 8, nowhere: 6, shelf: 3 },
  plunger: { nowhere: 100 },
  potato: { countertop: 28, fridge: 26, diningtable: 15, sinkbasin: 11, microwave: 10, garbagecan: 6 },
  pot: { stoveburner: 74, countertop: 14, fridge: 4, diningtable: 4, cabinet: 3 },
  remotecontrol: { coffeetable: 19, sofa: 15, sidetable: 12, diningtable: 9, dresser: 8, drawer: 8 },
  saltshaker: { cabinet: 31, countertop: 31, diningtable: 17, drawer: 15, shelf: 3, sidetable: 2 },
  scrubbrush: { nowhere: 100 },
  soapbar: { countertop: 19, toilet: 15, sinkbasin: 14, cabinet: 12, bathtubbasin: 11, drawer: 10 },
  soapbottle: { countertop: 31, cabinet: 27, diningtable: 14, garbagecan: 10, toilet: 6, shelf: 5 },
  spatula: { countertop: 44, diningtable: 23, drawer: 21, sinkbasin: 9, nowhere: 2 },
  spoon: { countertop: 37, drawer: 27, diningtable: 20, sinkbasin: 11, nowhere: 4, sidetable: 2 },
  spraybottle: { countertop: 32, toilet: 23, cabinet: 19, garbagecan: 10, shelf: 6, cart: 3 },
  statue: { shelf: 29, countertop: 17, coffeetable: 14, diningtable: 13, sidetable: 12, dresser: 7 },
  teddybear: { bed: 76, nowhere: 24 },
  tennisracket: { nowhere: 100 },
  tissuebox: { shelf: 18, coffeetable: 14, drawer: 14, countertop: 13, sidetable: 11, diningtable: 11 },
  toiletpaper: { toilet: 20, countertop: 19, nowhere: 16, cabinet: 10, toiletpaperhanger: 10, drawer: 9 },
  tomato: { fridge: 33, countertop: 30, diningtable: 19, garbagecan: 9, sinkbasin: 7, sidetable: 2 },
  towel: { towelholder: 98, countertop: 2 },
  vase: { shelf: 33, cabinet: 17, countertop: 16, coffeetable: 8, diningtable: 7, dresser: 6 },
  watch: { drawer: 22, coffeetable: 20, sidetable: 16, diningtable: 11, dresser: 11, tvstand: 8 },
  wateringcan: { nowhere: 75, coffeetable: 13, shelf: 10, sidetable: 2 },
  winebottle: { countertop: 37, cabinet: 25, diningtable: 24, garbagecan: 9, shelf: 3, fridge: 2 },
  houseplant: { countertop: 40, nowhere: 15, sidetable: 13, diningtable: 12, shelf: 6, coffeetable: 5 },
  television: { nowhere: 37, dresser: 29, tvstand: 26, coffeetable: 5, sidetable: 2 },
}

export function roomOf(floorPlan: number): Room {
  return floorPlan < 200 ? 'kitchen' : floorPlan < 300 ? 'livingRoom' : floorPlan < 400 ? 'bedroom' : 'bathroom'
}
