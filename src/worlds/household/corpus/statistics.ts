/**
 * Rounded statistics of the 4,027 official games: room mix, receptacles and objects per room, and where objects start. Compact
 * scenes, rewrites and the expert use these; full scenes use the exact counts in `scene-statistics.ts`. Counted over the game files of
 * alfworld 0.4.2 (json_2.1.3); shares are percentages.
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
  /** The most that a game has. */
  max: number
}

/** "cabinet 100% 27" */
function countLaws(table: string): Readonly<Record<string, CountLaw>> {
  return Object.fromEntries(
    [...table.matchAll(/(\w+) (\d+)% (\d+)/g)].map(([, type, share, max]) => [
      type!,
      { share: Number(share), max: Number(max) },
    ]),
  )
}

export const receptacleCounts: Readonly<Record<Room, Readonly<Record<string, CountLaw>>>> = {
  kitchen: countLaws(
    'cabinet 100% 27, coffeemachine 100% 1, countertop 100% 4, diningtable 54% 3, drawer 97% 27, ' +
      'fridge 100% 1, garbagecan 100% 1, microwave 100% 1, safe 4% 1, shelf 23% 3, sidetable 10% 1, ' +
      'sinkbasin 100% 1, stoveburner 100% 6, toaster 100% 1',
  ),
  livingRoom: countLaws(
    'armchair 92% 3, cabinet 18% 8, coffeetable 81% 2, desk 1% 1, diningtable 47% 2, drawer 78% 21, ' +
      'dresser 39% 2, garbagecan 100% 1, ottoman 12% 1, safe 4% 1, shelf 38% 14, sidetable 82% 5, sofa 100% 2, ' +
      'tvstand 34% 2',
  ),
  bedroom: countLaws(
    'armchair 18% 3, bed 100% 2, cabinet 15% 4, countertop 3% 1, desk 71% 2, diningtable 12% 1, ' +
      'drawer 96% 17, dresser 44% 2, garbagecan 100% 1, laundryhamper 30% 1, safe 20% 1, shelf 69% 14, ' +
      'sidetable 63% 2',
  ),
  bathroom: countLaws(
    'bathtubbasin 65% 1, cabinet 46% 9, cart 8% 1, countertop 86% 2, drawer 56% 8, dresser 8% 1, ' +
      'garbagecan 100% 1, handtowelholder 100% 4, shelf 25% 4, sidetable 6% 1, sinkbasin 100% 2, ' +
      'toiletpaperhanger 100% 1, toilet 100% 1, towelholder 100% 2',
  ),
}

interface ObjectLaw {
  /** Share of the room's games that have the type, in percent. */
  share: number
}

/** "apple 100%" */
function objectLaws(table: string): Readonly<Record<string, ObjectLaw>> {
  return Object.fromEntries(
    [...table.matchAll(/(\w+) (\d+)%/g)].map(([, type, share]) => [type!, { share: Number(share) }]),
  )
}

/** Omits types that are always out of reach. The goal's own type follows `targetCounts` instead. */
export const objectCounts: Readonly<Record<Room, Readonly<Record<string, ObjectLaw>>>> = {
  kitchen: objectLaws(
    'apple 100%, book 11%, bowl 100%, bread 100%, butterknife 97%, cellphone 15%, creditcard 13%, cup 100%, ' +
      'dishsponge 100%, egg 100%, fork 100%, glassbottle 26%, houseplant 39%, kettle 48%, knife 100%, ' +
      'ladle 32%, lettuce 100%, mug 100%, pan 100%, papertowelroll 38%, pen 6%, pencil 7%, peppershaker 100%, ' +
      'plate 100%, pot 100%, potato 100%, saltshaker 100%, soapbottle 100%, spatula 100%, spoon 100%, ' +
      'spraybottle 6%, statue 19%, tomato 100%, vase 19%, winebottle 39%',
  ),
  livingRoom: objectLaws(
    'book 23%, bowl 10%, box 100%, candle 9%, cellphone 22%, creditcard 100%, desklamp 25%, floorlamp 100%, ' +
      'houseplant 100%, keychain 100%, laptop 100%, newspaper 57%, pen 19%, pencil 16%, pillow 100%, ' +
      'plate 33%, remotecontrol 100%, statue 96%, television 100%, tissuebox 33%, vase 55%, watch 48%, ' +
      'wateringcan 48%',
  ),
  bedroom: objectLaws(
    'alarmclock 100%, book 100%, bowl 46%, box 45%, cd 100%, cellphone 100%, cloth 18%, creditcard 100%, ' +
      'desklamp 72%, houseplant 26%, keychain 100%, laptop 100%, mug 52%, pen 100%, pencil 100%, pillow 100%, ' +
      'remotecontrol 11%, statue 13%, teddybear 34%, television 12%, tissuebox 12%, vase 5%, watch 6%',
  ),
  bathroom: objectLaws(
    'candle 100%, cloth 100%, dishsponge 19%, floorlamp 8%, handtowel 100%, houseplant 4%, ' +
      'papertowelroll 16%, soapbar 100%, soapbottle 100%, spraybottle 100%, tissuebox 23%, toiletpaper 100%, ' +
      'towel 100%',
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
