/** The same held-out task, played by the untrained policy and by the trained one. */
import type { World } from '../../../method/settings.ts'
import {
  CHANGES,
  heldOutPairs,
  tellingPair,
  usualChange,
  type Change,
  type HeldOutGames,
  type HeldOutPair,
} from '../../../runs/held-out-games.ts'
import { counted, percent } from '../../kit/format.ts'
import { gainWords } from '../../run/held-out-gain.ts'
import { Player } from '../../figures/player.svelte.ts'
import { heldOutGames } from '../../state/held-out.ts'
import type { KeptRunList } from '../../state/kept-runs.svelte.ts'
import type { RunOnShow } from '../../state/run-on-show.ts'
import { untrack } from 'svelte'
import { errorText } from '../../../threads/error-text.ts'

/** What became of the tasks, in words for a list. */
export const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  better: 'Only solved after training',
  worse: 'Only solved before training',
  both: 'Solved by both',
  neither: 'Solved by neither',
}

export class BeforeAfter {
  readonly player = new Player()
  #found = $state.raw<readonly HeldOutGames[] | null>(null)
  #problem = $state.raw<string | null>(null)
  #chosen = $state.raw<HeldOutPair | null>(null)
  #ticket = 0
  /** The world and the run that were read last. */
  #followed: string | null = null

  get isLoading(): boolean {
    return this.#found === null && this.#problem === null
  }
  get problem(): string | null {
    return this.#problem
  }
  readonly games = $derived(this.#found?.length === 2 ? { before: this.#found[0]!, after: this.#found[1]! } : null)
  readonly pairs = $derived(this.games ? heldOutPairs(this.games.before, this.games.after) : [])
  /** In the order of CHANGES; the empty ones are left out. */
  readonly groups = $derived(
    CHANGES.map((change) => ({ change, pairs: this.pairs.filter((pair) => pair.change === change) })).filter(
      ({ pairs }) => pairs.length > 0,
    ),
  )
  readonly chosen = $derived(this.#chosen ?? tellingPair(this.pairs))
  /**
   * Counts in a sentence: "Of 200 held-out tasks, 52 got better, 18 got worse and 130 stayed as they were: from 38 % solved to
   * 55 %, +17.0 points (95 %: +9.1 to +24.6)."
   */
  readonly summary = $derived.by(() => {
    const count = (...changes: Change[]) => this.pairs.filter(({ change }) => changes.includes(change)).length
    const all = this.pairs.length
    const share = (changes: Change[]) => percent(count(...changes) / all)
    const gain = gainWords({ better: count('better'), worse: count('worse'), tasks: all })
    return `Of ${counted(all, 'held-out task')}, ${count('better')} got better, ${count('worse')} got worse and ${count('both', 'neither')} stayed as they were: from ${share(['worse', 'both'])} solved to ${share(['better', 'both'])}, ${gain}.`
  })

  /** Which task is shown first, and why. */
  readonly rule = $derived.by(() => {
    const usual = usualChange(this.pairs)
    if (usual === null) return 'The first task in the log is shown first: none changed.'
    const other = usual === 'better' ? 'worse' : 'better'
    return `The first task in the log that got ${usual} is shown first: at least as many tasks got ${usual} as ${other}.`
  })

  /** Reads the run when it comes on show, and not with each of its events: that would read the whole log each time. */
  follow(run: RunOnShow, kept: KeptRunList, world: World): void {
    // The comparison of a shipped run is in a file of its own, so it stays as a reader left it when the run itself is read to its end.
    const followed = [world, run.origin === 'shipped' ? `shipped ${run.recording ?? ''}` : run.key].join(' ')
    if (followed === this.#followed) return
    this.#followed = followed
    this.#found = this.#chosen = null
    untrack(() => void this.load(run, kept, world))
  }

  /** What was read before stays on show until then, so that nothing moves. */
  async load(run: RunOnShow, kept: KeptRunList, world: World): Promise<void> {
    const ticket = ++this.#ticket
    this.#problem = null
    try {
      const found = await heldOutGames(run, kept, world)
      if (ticket !== this.#ticket) return
      this.#found = found
      this.#chosen = null
      this.#open()
    } catch (cause) {
      if (ticket === this.#ticket) this.#problem = errorText(cause)
    }
  }

  choose(pair: HeldOutPair): void {
    this.#chosen = pair
    this.#open()
  }

  #open(): void {
    const { chosen } = this
    this.player.open(chosen ? Math.max(chosen.before.steps.length, chosen.after.steps.length) : 0)
  }
}
