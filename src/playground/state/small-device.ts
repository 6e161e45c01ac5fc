/** Whether this looks like a phone or tablet, or like a computer with little memory. */

/** Gigabytes, as browsers round them. Phones have up to 8, which is as much as browsers ever say. */
const LITTLE_MEMORY = 4

export interface DeviceScope {
  /** Only some browsers say it. */
  deviceMemory?: number
  matchMedia(query: string): { matches: boolean }
}

export function isSmallDevice({ deviceMemory, matchMedia }: DeviceScope): boolean {
  // A laptop with a touch screen also has a touchpad or a mouse.
  const isTouchedOnly = matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches
  return isTouchedOnly || (deviceMemory !== undefined && deviceMemory <= LITTLE_MEMORY)
}

export function thisDevice(): DeviceScope {
  const { deviceMemory } = navigator as { deviceMemory?: number }
  return { ...(deviceMemory !== undefined && { deviceMemory }), matchMedia: (query) => matchMedia(query) }
}
