/** A folder that somebody chooses on this machine. The browser gives its files, and those of all folders in it. */
import { ModelFileError } from '../../../language-model/files/model-reader.ts'

export function pickedName(picked: readonly File[]): string {
  return pathOf(picked[0])[0] || 'folder'
}

/**
 * The files directly in the folder. `config` is the file that every model folder has. Throws ModelFileError for a folder that only
 * contains model folders, such as one of several checkpoints, whose files of one name would replace each other.
 */
export function pickedFiles(picked: readonly File[], config: string): File[] {
  const files = picked.filter((file) => pathOf(file).length <= 2)
  const inner = picked.filter(({ name }) => name === config).map((file) => pathOf(file).slice(1, -1).join('/'))
  if (inner.length > 0 && !inner.includes(''))
    throw new ModelFileError(
      `The folder "${pickedName(picked)}" has no ${config}, but folders of models. Choose one of them: ${inner.sort().join(', ')}.`,
      { isMissing: true },
    )
  return files
}

function pathOf(file: File | undefined): string[] {
  return file?.webkitRelativePath.split('/') ?? []
}
