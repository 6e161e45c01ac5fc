/** Four-lane building blocks of all kernels. Pointers are byte addresses; sizes count float32 elements. */

/** a · b + c: fused where the module is built with relaxed SIMD, two roundings otherwise. */
// @ts-ignore: decorator
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c)
  return f32x4.add(f32x4.mul(a, b), c)
}

// @ts-ignore: decorator
@inline
export function splatAt(address: usize, offset: usize = 0): v128 {
  return f32x4.splat(load<f32>(address + offset))
}

// @ts-ignore: decorator
@inline
export function sumLanes(x: v128): f32 {
  const pairs = f32x4.add(x, f32x4.shuffle(x, x, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

// @ts-ignore: decorator
@inline
export function maximumLane(x: v128): f32 {
  const pairs = f32x4.max(x, f32x4.shuffle(x, x, 2, 3, 0, 1))
  return max<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1))
}

/** The four sums of the lanes of a, b, c and d, as one vector. */
// @ts-ignore: decorator
@inline
export function sumLanesOfFour(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(f32x4.shuffle(a, b, 0, 4, 1, 5), f32x4.shuffle(a, b, 2, 6, 3, 7))
  const cd = f32x4.add(f32x4.shuffle(c, d, 0, 4, 1, 5), f32x4.shuffle(c, d, 2, 6, 3, 7))
  return f32x4.add(f32x4.shuffle(ab, cd, 0, 1, 4, 5), f32x4.shuffle(ab, cd, 2, 3, 6, 7))
}

/**
 * e^x with a relative error under 3e-7: x = n · ln 2 + r with |r| ≤ ln 2 / 2, a degree-6 polynomial in r, and n added
 * to the exponent. Adding 1.5 · 2²³ both rounds to an integer and leaves n in the low bits. Results below 1e-38 are
 * clamped there.
 */
// @ts-ignore: decorator
@inline
export function exponential(x: v128): v128 {
  const bounded = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-87.3)), f32x4.splat(88.3))
  const shifter = f32x4.splat(12582912.0)
  const shifted = multiplyAdd(bounded, f32x4.splat(1.44269504), shifter)
  const n = f32x4.sub(shifted, shifter)
  // ln 2 in two parts, the first with few bits, so that n times it is exact.
  let r = multiplyAdd(n, f32x4.splat(-0.693359375), bounded)
  r = multiplyAdd(n, f32x4.splat(2.12194440e-4), r)
  let p = f32x4.splat(1.0 / 720.0)
  p = multiplyAdd(p, r, f32x4.splat(1.0 / 120.0))
  p = multiplyAdd(p, r, f32x4.splat(1.0 / 24.0))
  p = multiplyAdd(p, r, f32x4.splat(1.0 / 6.0))
  p = multiplyAdd(p, r, f32x4.splat(0.5))
  p = multiplyAdd(p, r, f32x4.splat(1.0))
  p = multiplyAdd(p, r, f32x4.splat(1.0))
  const power = i32x4.add(i32x4.shl(shifted, 23), i32x4.splat(0x3f800000))
  return f32x4.mul(p, power)
}

/** The same for one number, so that the last few elements of a row get exactly the same values. */
// @ts-ignore: decorator
@inline
export function exponentialOf(x: f32): f32 {
  return f32x4.extract_lane(exponential(f32x4.splat(x)), 0)
}

export function fillZero(target: usize, count: i32): void {
  memory.fill(target, 0, (count as usize) << 2)
}
