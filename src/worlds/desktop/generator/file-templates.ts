/** Tasks of Files. */
import { chance, pick, type Random } from '../../random.ts'
import { FILES, TRASH, type Facts, type FileFact } from '../engine/facts.ts'
import type { Missing } from '../engine/game.ts'
import { defineTemplate, indexIn, pagesBelow, type Place, type Template } from './template.ts'
import { NEW_FOLDERS } from './words.ts'

interface FileParameters {
  [name: string]: string | number | boolean
  /** Content of the file. */
  file: number
  /** Whether the sentence says where the file is. */
  isTold: boolean
}
type RenameParameters = FileParameters & { name: string }
type FolderParameters = FileParameters & { folder: number }

const noun = (name: string): string => name.slice(0, name.indexOf('.'))
const ending = (name: string): string => name.slice(name.indexOf('.'))

const live = ({ files }: Facts): FileFact[] => files.filter(({ isTrashed }) => !isTrashed)
const fileOf = (facts: Facts, content: number): FileFact | undefined =>
  live(facts).find((file) => file.content === content)

const withFile = (facts: Facts, file: FileFact): Facts => ({
  ...facts,
  files: facts.files.map((other) => (other.content === file.content ? file : other)),
})

function drawFile(facts: Facts, random: Random): { file: FileFact; isTold: boolean } {
  return { file: pick(random, live(facts)), isTold: chance(random, 0.5) }
}

function otherFolder(random: Random, { folders }: Facts, file: FileFact): number {
  return pick(
    random,
    [...folders.keys()].filter((folder) => folder !== file.folder),
  )
}

/** Where the file is: in the sentence, or else missing. */
function whereabouts(
  facts: Facts,
  file: FileFact,
  isTold: boolean,
): { told: string; missing: Missing[]; place: string } {
  const folder = facts.folders[file.folder]!
  if (isTold) return { told: ` in ${folder}`, missing: [], place: '' }
  const missing = [{ app: FILES, at: 1 << file.folder, mayHold: pagesBelow(facts.folders.length) }]
  return { told: '', missing, place: `${file.name} is in ${folder}` }
}

const setFolder = ({ facts }: Place, parameters: FolderParameters, value: string): FolderParameters | null => {
  const folder = indexIn(facts.folders, value)
  return folder === null ? null : { ...parameters, folder }
}

const renameFile = defineTemplate<RenameParameters>({
  name: 'rename-file',
  domain: 'files',
  draw({ facts, freeNames }, random) {
    const { file, isTold } = drawFile(facts, random)
    return { file: file.content, isTold, name: noun(pick(random, freeNames)) + ending(file.name) }
  },
  request({ facts }, { file: content, isTold, name }) {
    const file = fileOf(facts, content)
    if (!file || facts.files.some((other) => other.name === name) || ending(name) !== ending(file.name)) return null
    const { told, missing, place } = whereabouts(facts, file, isTold)
    return {
      sentence: `rename ${file.name}${told} to ${name}.`,
      object: noun(file.name),
      target: noun(name),
      goal: withFile(facts, { ...file, name }),
      freeContents: [content],
      missing,
      place,
    }
  },
  settable: { name: (_, parameters, name) => (/^[a-z]+\.[a-z]+$/.test(name) ? { ...parameters, name } : null) },
})

/** A task that brings a file to another folder. */
const toFolder = (verb: 'move' | 'copy', brought: (facts: Facts, file: FileFact, folder: number) => Facts) =>
  defineTemplate<FolderParameters>({
    name: `${verb}-file`,
    domain: 'files',
    draw({ facts }, random) {
      const { file, isTold } = drawFile(facts, random)
      return { file: file.content, isTold, folder: otherFolder(random, facts, file) }
    },
    request({ facts }, { file: content, isTold, folder }) {
      const file = fileOf(facts, content)
      if (!file || file.folder === folder) return null
      const { told, missing, place } = whereabouts(facts, file, isTold)
      return {
        sentence: `${verb} ${file.name}${told} to ${facts.folders[folder]!}.`,
        object: noun(file.name),
        target: facts.folders[folder]!,
        goal: brought(facts, file, folder),
        freeContents: [content],
        missing,
        place,
      }
    },
    settable: { folder: setFolder },
  })

const moveFile = toFolder('move', (facts, file, folder) => withFile(facts, { ...file, folder }))

const copyFile = toFolder('copy', (facts, file, folder) => ({
  ...facts,
  files: [...facts.files, { ...file, folder, isMade: true }],
}))

const deleteFile = defineTemplate<FileParameters>({
  name: 'delete-file',
  domain: 'files',
  draw({ facts }, random) {
    const { file, isTold } = drawFile(facts, random)
    return { file: file.content, isTold }
  },
  request({ facts }, { file: content, isTold }) {
    const file = fileOf(facts, content)
    if (!file) return null
    const { told, missing, place } = whereabouts(facts, file, isTold)
    return {
      sentence: `delete ${file.name}${told}.`,
      object: noun(file.name),
      target: facts.folders[file.folder]!,
      goal: withFile(facts, { ...file, isTrashed: true }),
      missing,
      place,
    }
  },
})

const restoreFile = defineTemplate<{ file: number }>({
  name: 'restore-file',
  domain: 'files',
  draw: ({ facts }) => ({ file: facts.files.find(({ isTrashed }) => isTrashed)!.content }),
  request({ facts }, { file: content }) {
    const file = facts.files.find((other) => other.content === content)
    if (!file?.isTrashed) return null
    return {
      sentence: `bring back ${file.name} from the trash.`,
      object: noun(file.name),
      target: facts.folders[file.folder]!,
      goal: withFile(facts, { ...file, isTrashed: false }),
    }
  },
})

const newFolder = defineTemplate<{ name: string }>({
  name: 'new-folder',
  domain: 'files',
  weight: 0.6,
  draw: (_, random) => ({ name: pick(random, NEW_FOLDERS) }),
  request: ({ facts }, { name }) => ({
    sentence: `make the folder ${name}.`,
    object: 'folder',
    target: name,
    goal: { ...facts, folders: [...facts.folders, name] },
  }),
  settable: {
    name: (_, parameters, name) =>
      (NEW_FOLDERS as readonly string[]).includes(name) && name !== parameters.name ? { name } : null,
  },
})

const renameNothing = defineTemplate<{ absent: string; name: string }>({
  name: 'rename-file-impossible',
  domain: 'files',
  weight: 0.25,
  draw: ({ freeNames }) => ({ absent: freeNames[0]!, name: noun(freeNames[1]!) + ending(freeNames[0]!) }),
  request({ facts }, { absent, name }) {
    if (facts.files.some((file) => file.name === absent)) return null
    return {
      sentence: `rename ${absent} to ${name}.`,
      object: noun(absent),
      target: noun(name),
      goal: facts,
      evidence: [{ app: FILES, pages: pagesBelow(facts.folders.length), needsButtons: false }],
    }
  },
})

const restoreNothing = defineTemplate<{ absent: string }>({
  name: 'restore-file-impossible',
  domain: 'files',
  weight: 0.25,
  draw: ({ freeNames }) => ({ absent: freeNames[0]! }),
  request({ facts }, { absent }) {
    if (facts.files.some((file) => file.name === absent)) return null
    return {
      sentence: `bring back ${absent} from the trash.`,
      object: noun(absent),
      target: 'trash',
      goal: facts,
      evidence: [{ app: FILES, pages: 1 << TRASH, needsButtons: false }],
    }
  },
})

export const FILE_TEMPLATES: readonly Template[] = [
  renameFile,
  moveFile,
  copyFile,
  deleteFile,
  restoreFile,
  newFolder,
  renameNothing,
  restoreNothing,
]
