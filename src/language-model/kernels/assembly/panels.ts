import { COLUMNS, FEW_ROWS, ROWS } from './blocks'

/**
 * Copies rows of A into panels of ROWS rows, [depth][ROWS] each; the last one has FEW_ROWS if that is enough and is
 * padded with zeros.
 */
export function packRows(a: usize, panel: usize, rows: i32, depth: i32, rowStride: i32, columnStride: i32): void {
  for (let i = 0; i < rows; i += ROWS) {
    const lanes = min(ROWS, rows - i)
    const width = lanes > FEW_ROWS ? ROWS : FEW_ROWS
    pack(a + ((i * rowStride) << 2), panel + ((i * depth) << 2), lanes, depth, rowStride, columnStride, width)
  }
}

/** Copies columns of B into panels of COLUMNS columns, [depth][COLUMNS] each; the last one is padded with zeros. */
export function packColumns(b: usize, panel: usize, depth: i32, columns: i32, rowStride: i32, columnStride: i32): void {
  for (let j = 0; j < columns; j += COLUMNS) {
    pack(
      b + ((j * columnStride) << 2), panel + ((j * depth) << 2), min(COLUMNS, columns - j), depth, columnStride,
      rowStride, COLUMNS,
    )
  }
}

/**
 * One panel: panel[p][i] = source[i · laneStride + p · depthStride] for `lanes` lanes of `width`, which is even.
 */
function pack(
  source: usize, panel: usize, lanes: i32, depth: i32, laneStride: i32, depthStride: i32, width: i32,
): void {
  if (lanes == width && laneStride == 1) {
    for (let p = 0; p < depth; p++) {
      const from = source + ((p * depthStride) << 2)
      const to = panel + ((p * width) << 2)
      let i = 0
      for (; i + 4 <= width; i += 4) v128.store(to + (i << 2), v128.load(from + (i << 2)))
      if (i < width) store<u64>(to + (i << 2), load<u64>(from + (i << 2)))
    }
    return
  }
  if (lanes == width && depthStride == 1) {
    const step = (laneStride as usize) << 2
    const stride = (width as usize) << 2
    let i = 0
    for (; i + 4 <= width; i += 4) {
      let from = source + ((i * laneStride) << 2)
      let to = panel + (i << 2)
      let p = 0
      for (; p + 4 <= depth; p += 4) {
        const r0 = v128.load(from), r1 = v128.load(from + step)
        const r2 = v128.load(from + 2 * step), r3 = v128.load(from + 3 * step)
        const low01 = f32x4.shuffle(r0, r1, 0, 4, 1, 5), high01 = f32x4.shuffle(r0, r1, 2, 6, 3, 7)
        const low23 = f32x4.shuffle(r2, r3, 0, 4, 1, 5), high23 = f32x4.shuffle(r2, r3, 2, 6, 3, 7)
        v128.store(to, f32x4.shuffle(low01, low23, 0, 1, 4, 5))
        v128.store(to + stride, f32x4.shuffle(low01, low23, 2, 3, 6, 7))
        v128.store(to + 2 * stride, f32x4.shuffle(high01, high23, 0, 1, 4, 5))
        v128.store(to + 3 * stride, f32x4.shuffle(high01, high23, 2, 3, 6, 7))
        from += 16
        to += 4 * stride
      }
      for (; p < depth; p++) {
        store<f32>(to, load<f32>(from))
        store<f32>(to + 4, load<f32>(from + step))
        store<f32>(to + 8, load<f32>(from + 2 * step))
        store<f32>(to + 12, load<f32>(from + 3 * step))
        from += 4
        to += stride
      }
    }
    if (i < width) packPair(source + ((i * laneStride) << 2), panel + (i << 2), depth, step, stride)
    return
  }
  for (let p = 0; p < depth; p++) {
    for (let i = 0; i < width; i++) {
      const value = i < lanes ? load<f32>(source + ((i * laneStride + p * depthStride) << 2)) : 0
      store<f32>(panel + ((p * width + i) << 2), value)
    }
  }
}

/** Two lanes of a panel, from two runs of `depth` elements. */
function packPair(from: usize, to: usize, depth: i32, step: usize, stride: usize): void {
  let p = 0
  for (; p + 4 <= depth; p += 4) {
    const r0 = v128.load(from), r1 = v128.load(from + step)
    const low = f32x4.shuffle(r0, r1, 0, 4, 1, 5), high = f32x4.shuffle(r0, r1, 2, 6, 3, 7)
    v128.store64_lane(to, low, 0)
    v128.store64_lane(to + stride, low, 1)
    v128.store64_lane(to + 2 * stride, high, 0)
    v128.store64_lane(to + 3 * stride, high, 1)
    from += 16
    to += 4 * stride
  }
  for (; p < depth; p++) {
    store<f32>(to, load<f32>(from))
    store<f32>(to + 4, load<f32>(from + step))
    from += 4
    to += stride
  }
}
