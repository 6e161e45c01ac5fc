/** A WGSL program: the code of one workgroup, with its inputs, outputs and uniforms by name. */

/** Element type of a storage buffer; 'vec2<u32>' is four numbers in half precision, 'u32' a word of a matrix in four bits. */
export type Element = 'f32' | 'vec4<f32>' | 'vec2<f32>' | 'i32' | 'u32' | 'vec2<u32>'

export interface Program<Reads extends string, Writes extends string, Uniforms extends string> {
  /** Names the pipeline in the cache: two programs with the same name have the same code. */
  name: string
  reads: Readonly<Record<Reads, Element>>
  /** Buffers that the code may also read: a tensor that is updated in place is only here. */
  writes: Readonly<Record<Writes, Element>>
  uniforms: Readonly<Record<Uniforms, 'i32' | 'f32'>>
  /** Threads of a workgroup. */
  threads: number
  /** Whether the code requires the device feature `subgroups`: `main` then also takes `lane` and `lanes`. */
  usesSubgroups?: boolean
  /** WGSL with `fn main(group : i32, thread : i32)`. */
  code: string
}

/** Infers the names of buffers and uniforms. */
export function program<Reads extends string, Writes extends string, Uniforms extends string>(
  parts: Program<Reads, Writes, Uniforms>,
): Program<Reads, Writes, Uniforms> {
  return parts
}

/** The whole shader. If one row of workgroups would be too long for the device, there are several; `groups` ends the last one. */
export function shaderOf(program: Program<string, string, string>): string {
  const { reads, writes, uniforms, threads, usesSubgroups = false, code } = program
  const fields = Object.entries({ groups: 'i32', ...uniforms }).map(([name, type]) => `  ${name} : ${type},`)
  const bindings = [
    ...Object.entries(writes).map(([name, element]) => `var<storage, read_write> ${name} : array<${element}>;`),
    ...Object.entries(reads).map(([name, element]) => `var<storage, read> ${name} : array<${element}>;`),
    'var<uniform> uniforms : Uniforms;',
  ]
  const [parameters, passed] = usesSubgroups
    ? [', @builtin(subgroup_invocation_id) lane : u32, @builtin(subgroup_size) lanes : u32', ', i32(lane), i32(lanes)']
    : ['', '']
  return `
${usesSubgroups ? 'enable subgroups;' : ''}
struct Uniforms {
${fields.join('\n')}
}
${bindings.map((binding, i) => `@group(0) @binding(${i}) ${binding}`).join('\n')}
${code}
@compute @workgroup_size(${threads})
fn start(
  @builtin(workgroup_id) place : vec3<u32>, @builtin(num_workgroups) grid : vec3<u32>,
  @builtin(local_invocation_index) thread : u32${parameters}
) {
  let group = i32(place.y * grid.x + place.x);
  if (group < uniforms.groups) { main(group, i32(thread)${passed}); }
}
`
}

/** The lines for 0, 1, ..., as a program repeats them. */
export const times = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n    ')

/** Caches `make` by its arguments: a kernel requests its program at every call. */
export function once<Args extends (string | number | boolean)[], Made>(
  make: (...args: Args) => Made,
): (...args: Args) => Made {
  const known = new Map<string, Made>()
  return (...args) => {
    const key = args.join()
    let made = known.get(key)
    if (made === undefined) known.set(key, (made = make(...args)))
    return made
  }
}
