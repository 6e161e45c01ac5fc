/** Builds an ONNX graph of nodes, weights, inputs and outputs, and encodes it as a file. Field numbers are those of onnx.proto. */
import { Message } from './protobuf.ts'

export type ElementType = 'float32' | 'int32' | 'int64'
/** A number, or a name for a size that is only known at run time. */
export type Dimension = number | string
export type Attribute = number | { float: number } | readonly number[]

const ELEMENT_TYPES: Record<ElementType, number> = { float32: 1, int32: 6, int64: 7 }
const IR_VERSION = 8
const OPSET = 17
/** Domain of ONNX Runtime's operators beyond the standard. */
export const MICROSOFT = 'com.microsoft'

export class OnnxGraph {
  readonly #graph = new Message()
  #nodes = 0

  constructor(name: string) {
    this.#graph.text(2, name)
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): string {
    this.#graph.message(11, valueInfo(name, type, shape))
    return name
  }

  output(name: string, type: ElementType, shape: readonly Dimension[]): void {
    this.#graph.message(12, valueInfo(name, type, shape))
  }

  constant(name: string, shape: readonly number[], values: Float32Array | Int32Array | BigInt64Array): string {
    const type = values instanceof Float32Array ? 'float32' : values instanceof Int32Array ? 'int32' : 'int64'
    const tensor = new Message()
    for (const size of shape) tensor.integer(1, size)
    tensor.integer(2, ELEMENT_TYPES[type]).text(8, name)
    // Raw data is little-endian, like all machines that run WebAssembly.
    tensor.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    this.#graph.message(5, tensor)
    return name
  }

  /** Adds a node; an input '' is omitted. Its outputs are named after it by default. */
  node(
    operation: string,
    inputs: readonly string[],
    options: {
      domain?: string
      attributes?: Readonly<Record<string, Attribute>>
      outputs?: readonly string[]
    } = {},
  ): string[] {
    const name = `${operation}_${this.#nodes++}`
    const outputs = options.outputs ?? [name]
    const node = new Message()
    for (const input of inputs) node.text(1, input)
    for (const output of outputs) node.text(2, output)
    node.text(3, name).text(4, operation)
    for (const [key, value] of Object.entries(options.attributes ?? {})) node.message(5, attribute(key, value))
    if (options.domain !== undefined) node.text(7, options.domain)
    this.#graph.message(1, node)
    return [...outputs]
  }

  /** Encodes the file. */
  encode(): Uint8Array {
    const opset = (domain: string, version: number) => new Message().text(1, domain).integer(2, version)
    return new Message()
      .integer(1, IR_VERSION)
      .message(8, opset('', OPSET))
      .message(8, opset(MICROSOFT, 1))
      .message(7, this.#graph)
      .encode()
  }
}

function valueInfo(name: string, type: ElementType, shape: readonly Dimension[]): Message {
  const dimensions = new Message()
  for (const size of shape) {
    dimensions.message(1, typeof size === 'number' ? new Message().integer(1, size) : new Message().text(2, size))
  }
  const tensor = new Message().integer(1, ELEMENT_TYPES[type]).message(2, dimensions)
  return new Message().text(1, name).message(2, new Message().message(1, tensor))
}

const FLOAT = 1
const INT = 2
const INTS = 7

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name)
  if (typeof value === 'number') return message.integer(3, value).integer(20, INT)
  if ('float' in value) return message.float(2, value.float).integer(20, FLOAT)
  for (const entry of value) message.integer(8, entry)
  return message.integer(20, INTS)
}
