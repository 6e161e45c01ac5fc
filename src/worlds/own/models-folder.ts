/** Where the small models of a world are: beside its file. */

/** `npm run pretrain` writes it: "my-world.models" beside "my-world.ts". */
export function modelsFolder(file: string): string {
  return `${file.replace(/\.[cm]?[jt]s$/i, '')}.models`
}
