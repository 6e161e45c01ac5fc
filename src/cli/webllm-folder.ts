/**
 * `npm run build:webllm -- path/to/folder`: writes the weights and the configuration of a Hugging Face folder as WebLLM reads them,
 * with the files that say how to prompt the model.
 */
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PROMPT_FILES } from '../engines/transformer/model-files.ts'
import { folderReader } from '../language-model/files/folder-reader.ts'
import { readOptional } from '../language-model/files/model-folder.ts'
import { MLC_QUANTIZATIONS } from '../weight-formats/mlc-encoding.ts'
import { exportMlc, huggingFaceModel } from '../weight-formats/mlc-export.ts'
import { ArgumentError, oneOf } from './arguments.ts'
import { errorText } from '../threads/error-text.ts'

async function writeFolder([from, to, type]: readonly string[]): Promise<void> {
  if (from === undefined || to === undefined || type === undefined)
    throw new ArgumentError('Name the model folder, the folder to write, and the number type.')
  const quantization = oneOf('type', type, MLC_QUANTIZATIONS)
  const reader = folderReader(from)
  for (const { name, bytes } of exportMlc(await huggingFaceModel(reader), { quantization }))
    await writeFile(join(to, name), bytes)
  for (const file of PROMPT_FILES) {
    const bytes = await readOptional(reader, file)
    if (bytes !== null) await writeFile(join(to, file), bytes)
  }
  process.stdout.write(`${basename(to)}: weights in ${quantization}\n`)
}

try {
  await writeFolder(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = 1
}
