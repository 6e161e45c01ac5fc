/**
 * As much of AssemblyScript's compiler as tests use. Its own declarations bring those of its standard library along, which
 * put themselves in the place of ours (`Array.at` would never be undefined), so tsconfig.json maps the module to this file.
 */
interface CompilerHost {
  readFile(name: string): string | null
  writeFile(name: string, contents: Uint8Array | string): void
  listFiles(): string[]
}

declare const asc: {
  main(options: readonly string[], host: Partial<CompilerHost>): Promise<{ error: Error | null }>
}
export default asc
