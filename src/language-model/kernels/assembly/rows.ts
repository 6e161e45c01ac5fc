import { addScaled } from './elementwise'

/** out[i] = x[indices[i]]. */
export function gatherRows(x: usize, indices: usize, out: usize, count: i32, width: i32): void {
  const bytes = (width as usize) << 2
  for (let i = 0; i < count; i++) {
    memory.copy(out + (i as usize) * bytes, x + (load<i32>(indices + ((i as usize) << 2)) as usize) * bytes, bytes)
  }
}

/** out[indices[i]] += dy[i]; the caller initialises out. */
export function scatterAddRows(dy: usize, indices: usize, out: usize, count: i32, width: i32): void {
  const bytes = (width as usize) << 2
  for (let i = 0; i < count; i++) {
    const target = out + (load<i32>(indices + ((i as usize) << 2)) as usize) * bytes
    addScaled(target, dy + (i as usize) * bytes, target, width, width, 1)
  }
}

/** pool[slots[i]] = rows[i]. */
export function writeRows(rows: usize, slots: usize, pool: usize, count: i32, width: i32): void {
  const bytes = (width as usize) << 2
  for (let i = 0; i < count; i++) {
    memory.copy(pool + (load<i32>(slots + ((i as usize) << 2)) as usize) * bytes, rows + (i as usize) * bytes, bytes)
  }
}
