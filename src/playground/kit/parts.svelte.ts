/** Mounts parts of a component one after another, each in a task of its own, so that neither the first paint nor a click waits for all. */
import { onMount } from 'svelte'

export interface Parts {
  /** Parts that are mounted: 0 at first, one more in every task that follows. */
  readonly mounted: number
}

/** Begins once the component that is being created is mounted. */
export function partsInTurn(count: number): Parts {
  let mounted = $state(0)
  onMount(() => {
    let timer = setTimeout(function mount() {
      if (++mounted < count) timer = setTimeout(mount, 0)
    }, 0)
    return () => clearTimeout(timer)
  })
  return {
    get mounted() {
      return mounted
    },
  }
}
