/** What the path of a game file says: "json_2.1.1/valid_seen/pick_and_place_simple-Mug-None-Desk-308/trial_…/game.tw-pddl". */

interface GamePath {
  /** Task and trial folder; null where the file does not lie in such. */
  id: string | null
  floorPlan: number | null
  /** The folder that holds the task folder, or the file if there is no such; null if there is none above. */
  parent: string | null
  /** Its folders name a kind of task that ALFWorld leaves out. */
  isLeftOut: boolean
}

export function readGamePath(path: string): GamePath {
  const folders = path.split('/').slice(0, -1)
  const [task = '', trial = ''] = folders.slice(-2)
  const floorPlan = /^[a-z_]+-\w+-\w+-\w+-(\d+)$/.exec(task)?.[1]
  const isInTask = floorPlan !== undefined && folders.length >= 2
  return {
    id: isInTask ? `${task}/${trial}` : null,
    floorPlan: floorPlan === undefined ? null : Number(floorPlan),
    parent: (isInTask ? folders.at(-3) : folders.at(-1)) ?? null,
    isLeftOut: folders.some((folder) => /movable|Sliced/.test(folder)),
  }
}
