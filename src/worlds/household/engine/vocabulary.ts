/**
 * The types of a household and their rules: facts of ALFWorld 0.5.0 that hold in all of its 4,027 games. `acceptedTypes` is
 * the "canContain" relation that a `move` obeys. Objects may nevertheless start elsewhere (a pan on a toaster); they can be
 * taken from there but not put back.
 */

const onSeats = 'basketball book box cellphone cloth creditcard keychain laptop newspaper pillow remotecontrol'

const onTables =
  'alarmclock apple baseballbat basketball book bowl box bread butterknife candle cd cellphone cloth creditcard ' +
  'cup dishsponge egg fork glassbottle handtowel kettle keychain knife ladle laptop lettuce mug newspaper pan pen ' +
  'pencil peppershaker plate pot potato remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle ' +
  'statue tennisracket tissuebox toiletpaper tomato vase watch wateringcan winebottle'

const accepted = {
  armchair: onSeats,
  bathtubbasin: 'cloth dishsponge handtowel soapbar',
  bed: 'baseballbat basketball book cellphone laptop newspaper pillow tennisracket',
  cabinet:
    'book bowl box candle cd cloth cup dishsponge glassbottle handtowel kettle ladle mug newspaper pan ' +
    'peppershaker plate plunger pot saltshaker soapbar soapbottle spraybottle tissuebox toiletpaper vase ' +
    'wateringcan winebottle',
  cart:
    'candle cloth dishsponge handtowel mug plunger soapbar soapbottle spraybottle statue tissuebox ' +
    'toiletpaper vase',
  coffeemachine: 'mug',
  coffeetable: onTables,
  countertop: onTables,
  desk:
    'alarmclock basketball book bowl box candle cd cellphone cloth creditcard cup glassbottle keychain laptop ' +
    'mug newspaper pen pencil plate remotecontrol soapbottle spraybottle statue tennisracket tissuebox ' +
    'toiletpaper vase watch wateringcan winebottle',
  diningtable: onTables,
  drawer:
    'book butterknife candle cd cellphone cloth creditcard dishsponge fork handtowel keychain knife ladle ' +
    'newspaper pen pencil peppershaker remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle ' +
    'tissuebox toiletpaper watch wateringcan',
  dresser:
    'alarmclock basketball book bowl box candle cd cellphone cloth creditcard cup glassbottle keychain laptop ' +
    'mug newspaper pen pencil plate remotecontrol spraybottle statue tennisracket tissuebox toiletpaper vase ' +
    'watch wateringcan winebottle',
  fridge: 'apple bowl bread cup egg glassbottle lettuce mug pan plate pot potato tomato winebottle',
  garbagecan:
    'apple bread cd cloth dishsponge egg handtowel lettuce newspaper pen pencil potato soapbar soapbottle ' +
    'spraybottle tissuebox toiletpaper tomato winebottle',
  handtowelholder: 'handtowel',
  laundryhamper: 'cloth',
  microwave: 'apple bowl bread cup egg glassbottle mug plate potato tomato',
  ottoman: onSeats,
  safe: 'cd cellphone creditcard keychain statue vase watch',
  shelf:
    'alarmclock book bowl box candle cd cellphone cloth creditcard cup dishsponge glassbottle handtowel ' +
    'kettle keychain mug newspaper pen pencil peppershaker plate pot remotecontrol saltshaker soapbar ' +
    'soapbottle spraybottle statue tissuebox toiletpaper vase watch wateringcan winebottle',
  sidetable: onTables,
  sinkbasin:
    'apple bowl butterknife cloth cup dishsponge egg fork glassbottle handtowel kettle knife ladle lettuce ' +
    'mug pan plate pot potato soapbar spatula spoon tomato',
  sofa: onSeats,
  stoveburner: 'kettle pan pot',
  toaster: '',
  toilet: 'candle cloth dishsponge handtowel newspaper soapbar soapbottle spraybottle tissuebox toiletpaper',
  toiletpaperhanger: 'toiletpaper',
  towelholder: 'towel',
  tvstand: 'tissuebox',
} as const satisfies Record<string, string>

type ReceptacleType = keyof typeof accepted

export const receptacleTypes = Object.keys(accepted) as ReceptacleType[]

/** [receptacle type] object types that a `move` accepts. */
const acceptedTypes: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(accepted).map(([receptacle, objects]) => [receptacle, new Set(objects.split(' ').filter(Boolean))]),
)

export function accepts(receptacleType: string, objectType: string): boolean {
  return acceptedTypes[receptacleType]?.has(objectType) ?? false
}

/** Receptacle types of which some or all instances can be opened and closed; all start closed. */
export const openableTypes: ReadonlySet<string> = new Set(['cabinet', 'drawer', 'fridge', 'microwave', 'safe'])

export type Capability = 'pickupable' | 'cleanable' | 'heatable' | 'coolable' | 'sliceable' | 'container' | 'lamp'

const words = (text: string) => text.split(' ')

const typesWith: Readonly<Record<Capability, ReadonlySet<string>>> = {
  pickupable: new Set(
    words(
      'alarmclock apple baseballbat basketball book boots bowl box bread butterknife candle cd cellphone cloth ' +
        'creditcard cup dishsponge egg fork glassbottle handtowel kettle keychain knife ladle laptop lettuce mug ' +
        'newspaper pan papertowelroll pen pencil peppershaker pillow plate plunger pot potato remotecontrol saltshaker ' +
        'scrubbrush soapbar soapbottle spatula spoon spraybottle statue teddybear tennisracket tissuebox toiletpaper ' +
        'tomato towel vase watch wateringcan winebottle',
    ),
  ),
  cleanable: new Set(
    words(
      'apple bowl butterknife cloth cup dishsponge egg fork kettle knife ladle lettuce mug pan plate pot potato ' +
        'soapbar spatula spoon tomato',
    ),
  ),
  heatable: new Set(words('apple bread cup egg mug plate potato tomato')),
  coolable: new Set(words('apple bowl bread cup egg lettuce mug pan plate pot potato tomato winebottle')),
  sliceable: new Set(words('apple bread egg lettuce potato tomato')),
  /** Examining one in the hand reveals its contents. No command puts anything into it. */
  container: new Set(words('bowl box cup mug pan plate pot')),
  lamp: new Set(words('desklamp floorlamp')),
}

export function can(objectType: string, capability: Capability): boolean {
  return typesWith[capability].has(objectType)
}

export function objectTypesThatCanBe(capability: Capability): readonly string[] {
  return [...typesWith[capability]]
}

/** Object types that can slice. */
export const knifeTypes: ReadonlySet<string> = new Set(['knife', 'butterknife'])

/** The appliance for each treatment. It may be closed during the treatment. */
export const applianceType = { clean: 'sinkbasin', heat: 'microwave', cool: 'fridge' } as const

export type Treatment = keyof typeof applianceType

export const treatments = Object.keys(applianceType) as Treatment[]

export const treatmentCapability = { clean: 'cleanable', heat: 'heatable', cool: 'coolable' } as const
