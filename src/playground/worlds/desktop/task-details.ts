import type { DesktopTask } from '../../../worlds/desktop/task.ts'
import { describeTask } from '../../../worlds/desktop/task.ts'
import type { TaskDetails } from '../world-page.ts'
import { desktopTask, playedTask } from './played-task.ts'

export const TASK_DETAILS: TaskDetails = {
  textOf: ({ instruction }) => ({ statement: instruction, tests: [] }),
  changeOf(before, proposal, run) {
    const label = 'What is different on the desktop'
    const { candidate } = proposal
    const inLog = [desktopTask(before), desktopTask(candidate)]
    const [then, now] =
      inLog[0] && inLog[1]
        ? inLog
        : [before.id, candidate?.id].map((id) =>
            id === undefined || !run.settings ? null : playedTask(run, id, run.settings),
          )
    if (!then || !now) return { label, sentences: [], note: 'The log has no desktop.' }
    const note = inLog[0] && inLog[1] ? '' : 'The log has no desktops. They are drawn again from the seed.'
    return { label, sentences: differences(then, now), note }
  },
}

/** Lines of the description that are new, each as a sentence: "Pictures: cat.png, tree.png." */
export function differences(before: DesktopTask, after: DesktopTask): string[] {
  const old = new Set(describeTask(before).split('\n'))
  const changed = describeTask(after)
    .split('\n')
    .filter((line) => !old.has(line) && !line.startsWith('Goal: '))
  return changed.map((line) => `${line}.`)
}
