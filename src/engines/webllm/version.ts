/** Versions of @mlc-ai/web-llm whose internals and libraries were tried with this project. */
export const PINNED_VERSION = '0.2.86'

/** Versions that were tried, by the interface of their libraries (`modelVersion`). */
const WORKING_VERSIONS: Readonly<Record<string, string>> = { 'v0_2_86/base': PINNED_VERSION }

/** This version of WebLLM was never tried. */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError'
}

/** Throws UnknownVersionError. */
export function checkVersion({ modelVersion }: { modelVersion: string }): void {
  if (Object.hasOwn(WORKING_VERSIONS, modelVersion)) return
  throw new UnknownVersionError(
    `This page was built with a version of WebLLM whose libraries are ${modelVersion}, which was not tried. Versions that work: ${Object.values(WORKING_VERSIONS).join(', ')}. Install one of them with npm install @mlc-ai/web-llm@${PINNED_VERSION}, or compile the libraries again and add the version to src/engines/webllm/version.ts.`,
  )
}
