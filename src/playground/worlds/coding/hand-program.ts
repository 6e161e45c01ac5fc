/** Initial text of the editor: the frame that the problem's form requires. */
import type { Problem } from '../../../worlds/coding/problem.ts'
import { inputTypeOf, PARAMETERS } from '../../../worlds/coding/problems/spec.ts'

export function starterProgram(problem: Problem): string {
  if (problem.form === 'stdio') {
    return '// readline() gives the next line of the input, and null after the last one.\nconst line = readline()\nprint(line)\n'
  }
  const parameters = problem.spec ? PARAMETERS[inputTypeOf(problem.spec)].join(', ') : '...args'
  return `function ${problem.functionName}(${parameters}) {\n  \n}\n`
}
