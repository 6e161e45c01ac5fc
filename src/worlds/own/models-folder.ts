/** Where the small models of a world are: beside its file, and by version on the page. */

/** `npm run pretrain` writes it: "my-world.models" beside "my-world.ts". */
export function modelsFolder(file: string): string {
  return `${file.replace(/\.[cm]?[jt]s$/i, '')}.models`
}

export interface ModelsVersion {
  /** "my-world.models" */
  folder: string
  /** "1a2b3c4d" */
  version: string
}

/** Reads the version from "my-world.models@1a2b3c4d/own-policy", or from a source with that name; null for any other name. */
export function modelsVersion(name: string): ModelsVersion | null {
  const [, folder, version] = /^(?:local:)?(.+\.models)@([0-9a-f]{8})\/[^/]+$/.exec(name) ?? []
  return folder === undefined ? null : { folder, version: version! }
}
