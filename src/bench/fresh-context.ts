/**
 * The usual way to isolate programs, for comparison with the judge: the same QuickJS without metering or limits, with a new runtime
 * and context for every test.
 */
import loadQuickJs from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { isSameJson, isSameText } from '../worlds/coding/judge/comparison.ts'
import { readEngine } from '../worlds/sandbox/engine-binary.ts'
import { GUEST_PRELUDE } from '../worlds/sandbox/guest-prelude.ts'
import type { Json, PlainTest } from '../worlds/coding/judge/verdict.ts'

type QuickJsModule = Awaited<ReturnType<typeof loadQuickJs>>

export class FreshContexts {
  readonly #module: QuickJsModule
  readonly #ffi: QuickJSFFI

  static async load(): Promise<FreshContexts> {
    const engine = await WebAssembly.compile(Uint8Array.from(await readEngine()))
    const module = await loadQuickJs({
      instantiateWasm(imports, receive) {
        const instance = new WebAssembly.Instance(engine, imports)
        receive(instance)
        return instance.exports
      },
    })
    return new FreshContexts(module)
  }

  private constructor(module: QuickJsModule) {
    this.#module = module
    this.#ffi = new QuickJSFFI(module)
  }

  /** Whether the program passes the test. */
  passes(source: string, test: PlainTest): boolean {
    const { QTS_NewRuntime, QTS_NewContext, QTS_FreeContext, QTS_FreeRuntime } = this.#ffi
    const runtime = QTS_NewRuntime()
    const context = QTS_NewContext(runtime, 0 as Parameters<typeof QTS_NewContext>[1])
    const run = (code: string) => this.#run(context, code)
    const begin = JSON.stringify(JSON.stringify(test.kind === 'stdio' ? [test.input, [], 1e6] : ['', [], 1e6]))
    run(`globalThis.prelude = ${GUEST_PRELUDE.trim().replace("'use strict';\n", '')}`)
    run(`prelude.begin(${begin})`)
    run(source)
    let isRight: boolean
    if (test.kind === 'call') {
      const given = JSON.stringify(JSON.stringify(test.arguments))
      const got = run(`JSON.stringify(${test.functionName}(...JSON.parse(${given})))`)
      isRight = isSameJson(JSON.parse(got) as Json, test.expected)
    } else {
      isRight = isSameText(JSON.parse(run('prelude.output()').slice(1)) as string, test.expected)
    }
    QTS_FreeContext(context)
    QTS_FreeRuntime(runtime)
    return isRight
  }

  #run(context: ReturnType<QuickJSFFI['QTS_NewContext']>, code: string): string {
    const { QTS_Eval, QTS_GetString, QTS_FreeCString, QTS_FreeValuePointer } = this.#ffi
    type Arguments = Parameters<typeof QTS_Eval>
    const bytes = this.#module.lengthBytesUTF8(code)
    const at = this.#module._malloc(bytes + 1)
    this.#module.stringToUTF8(code, at as Parameters<QuickJsModule['stringToUTF8']>[1], bytes + 1)
    const value = QTS_Eval(context, at as Arguments[1], bytes, 'bench.js', 0 as Arguments[4], 0 as Arguments[5])
    this.#module._free(at)
    const characters = QTS_GetString(context, value)
    const text = this.#module.UTF8ToString(characters)
    QTS_FreeCString(context, characters)
    QTS_FreeValuePointer(context, value)
    return text
  }
}
