/** Reads the path of a game file: "json_2.1.1/valid_seen/pick_and_place_simple-Mug-None-Desk-308/trial_…/game.tw-pddl". */

interface GamePath {
  /** Task and trial folder; null if the file is not in such folders. */
  id: string | null
  floorPlan: number | null
  /** The folder of the task folder, or of the file if there is no task folder; null if the path has none. */
  parent: string | null
  /** Its folders name a kind of task that ALFWorld excludes. */
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
