/** What the launch form answered: a plan, a configuration or a problem. It is on show only while the form still asks for the same. */
import type { GatewayProblem } from '../../../cluster/client/gateway-error.ts'
import type { LaunchPlan } from '../../../cluster/protocol.ts'
import type { ReleaseExport } from '../../../cluster/released/export.ts'

type Answer = { plan: LaunchPlan } | { exported: ReleaseExport } | { problem: GatewayProblem }

export class LaunchAnswer {
  readonly #asked: () => string
  #answer = $state.raw<{ of: string; answer: Answer } | null>(null)

  /** `asked` is what the form asks for, which the page's settings change too. */
  constructor(asked: () => string) {
    this.#asked = asked
  }

  get plan(): LaunchPlan | null {
    const { shown } = this
    return shown && 'plan' in shown ? shown.plan : null
  }
  get exported(): ReleaseExport | null {
    const { shown } = this
    return shown && 'exported' in shown ? shown.exported : null
  }
  get problem(): GatewayProblem | null {
    const { shown } = this
    return shown && 'problem' in shown ? shown.problem : null
  }
  get shown(): Answer | null {
    return this.#answer?.of === this.#asked() ? this.#answer.answer : null
  }

  forget(): void {
    this.#answer = null
  }

  /** Takes the answer to what the form asks for now; null is none. */
  async take(answering: Answer | Promise<Answer | null>): Promise<void> {
    this.forget()
    const of = this.#asked()
    const answer = await answering
    this.#answer = answer && { of, answer }
  }
}
