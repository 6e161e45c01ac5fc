/**
 * Fewest acts inside Files from any of its states without a dialog to the goal's files and folders, by Dijkstra over whole errands:
 * one errand shows a file's page, selects it, and renames, moves, copies, deletes or restores it, or makes or removes a folder, or
 * looks at a page. Only files whose facts differ from the goal's are touched, and only names and folders of the goal are used: names
 * belong to one content (files-acts.ts), so no other file is ever in the way, and no third name or folder helps.
 */
import { TRASH, type FileFact } from '../engine/facts.ts'
import { isSameFile } from '../engine/verdict.ts'
import type { DesktopGame } from '../engine/game.ts'
import type { Button } from '../engine/layout.ts'

export interface FilesView {
  files: readonly FileFact[]
  folders: readonly (string | null)[]
  page: number
  /** Index of the selected file, or -1. */
  item: number
  isMenuOpen: boolean
  /** Pages still to be looked at, as bits. */
  unseen: number
}

interface Node {
  cost: number
  files: readonly FileFact[]
  /** Folders as they are now; null for one that is removed. */
  folders: readonly (string | null)[]
  page: number
  /** Selected among `files`; -1 for none, -2 for a file that is not touched. */
  item: number
  isMenuOpen: boolean
  unseen: number
}

/** Acts after the selection: the button, a field or an entry of the list, and OK. */
const DIALOG_ACTS = 3

/** Infinity if the goal cannot be reached any more. */
export function filesDistance(game: DesktopGame, view: FilesView): number {
  const { goal, freeContents } = game
  const isSettled = view.files === goal.files && view.folders === goal.folders
  if (isSettled && view.unseen === 0) return 0
  const touched = isSettled ? [] : deviating(view.files, goal.files, freeContents)
  const files = view.files.filter(({ content }) => touched.includes(content))
  const wanted = goal.files.filter(({ content }) => touched.includes(content))
  const selected = view.files[view.item]
  const start: Node = {
    cost: 0,
    files,
    folders: view.folders,
    page: view.page,
    item: selected === undefined ? -1 : files.includes(selected) ? files.indexOf(selected) : -2,
    isMenuOpen: view.isMenuOpen,
    unseen: view.unseen & ~(1 << view.page),
  }
  return new FilesSearch(game, wanted).run(start)
}

/** Contents whose files are not those of the goal. */
function deviating(now: readonly FileFact[], goal: readonly FileFact[], free: readonly number[]): number[] {
  const contents = new Set<number>()
  for (let i = 0; i < Math.max(now.length, goal.length); i++) {
    const [a, b] = [now[i], goal[i]]
    if (a && b && (a === b || isSameFile(a, b))) continue
    if (a) contents.add(a.content)
    if (b) contents.add(b.content)
  }
  return [...contents].filter((content) => {
    const ofContent = (files: readonly FileFact[]) =>
      files.filter((file) => file.content === content && !(file.isTrashed && free.includes(content)))
    const wanted = ofContent(goal)
    const there = [...ofContent(now)]
    return wanted.length !== there.length || !wanted.every((file) => take(there, file))
  })
}

function take(files: FileFact[], like: FileFact): boolean {
  const index = files.findIndex((file) => isSameFile(file, like))
  if (index >= 0) files.splice(index, 1)
  return index >= 0
}

class FilesSearch {
  private readonly nested: readonly Button[]
  private readonly free: readonly number[]
  private readonly goalFolders: readonly (string | null)[]
  private readonly startFolders: number
  private readonly queue: Node[][] = []
  private readonly settled = new Set<string>()

  constructor(
    game: DesktopGame,
    private readonly wanted: readonly FileFact[],
  ) {
    this.nested = game.layout.nested
    this.free = game.freeContents
    this.goalFolders = game.goal.folders
    this.startFolders = game.start.folders.length
  }

  run(start: Node): number {
    this.push(start)
    for (let cost = 0; cost < this.queue.length; cost++) {
      for (const node of this.queue[cost] ?? []) {
        const key = keyOf(node)
        if (this.settled.has(key)) continue
        this.settled.add(key)
        if (this.isDone(node)) return cost
        this.expand(node)
      }
    }
    return Infinity
  }

  private push(node: Node): void {
    const bucket = this.queue[node.cost]
    if (bucket) bucket.push(node)
    else this.queue[node.cost] = [node]
  }

  private isDone({ files, folders, unseen }: Node): boolean {
    if (unseen !== 0) return false
    const there = files.filter((file) => !(file.isTrashed && this.free.includes(file.content)))
    const wanted = this.wanted.filter((file) => !(file.isTrashed && this.free.includes(file.content)))
    if (wanted.length !== there.length || !wanted.every((file) => take(there, file))) return false
    const left = folders.filter((folder) => folder !== null)
    return left.length === this.goalFolders.length && left.every((folder) => this.goalFolders.includes(folder))
  }

  private expand(node: Node): void {
    node.files.forEach((file, index) => {
      const at = file.isTrashed ? TRASH : file.folder
      const isHere = node.page === at
      const reach = (isHere ? 0 : 1) + (isHere && node.item === index ? 0 : 1)
      if (file.isTrashed) this.restore(node, index, reach)
      else this.change(node, index, reach)
    })
    this.changeFolders(node)
    for (let page = 0, left = node.unseen; left !== 0; page++, left >>= 1) {
      if (left & 1) this.reachPage(node, page, 1)
    }
  }

  private restore(node: Node, index: number, reach: number): void {
    const file = node.files[index]!
    if (isTaken(node.files, file.folder, file.name)) return
    const files = withFile(node.files, index, { ...file, isTrashed: false })
    this.next(node, TRASH, reach + 1, { files, item: -1 })
  }

  private change(node: Node, index: number, reach: number): void {
    const file = node.files[index]!
    const remaining = file.isMade
      ? node.files.filter((_, other) => other !== index)
      : withFile(node.files, index, { ...file, isTrashed: true })
    this.next(node, file.folder, reach + 1, { files: remaining, item: -1 })
    const aims = this.wanted.filter(({ content }) => content === file.content)
    for (const name of new Set(aims.map((aim) => aim.name))) {
      if (name === file.name || isTaken(node.files, file.folder, name)) continue
      const files = withFile(node.files, index, { ...file, name })
      this.next(node, file.folder, reach + DIALOG_ACTS, { files, item: index }, 'rename')
    }
    const names = aims.map((aim) => this.goalFolders[aim.folder]!)
    for (const folder of new Set(names.map((name) => node.folders.indexOf(name)))) {
      if (folder < 0 || folder === file.folder || isTaken(node.files, folder, file.name)) continue
      const moved = withFile(node.files, index, { ...file, folder })
      this.next(node, file.folder, reach + DIALOG_ACTS, { files: moved, item: -1 }, 'move')
      const copied = [...node.files, { ...file, folder, isMade: true }]
      this.next(node, file.folder, reach + DIALOG_ACTS, { files: copied, item: index }, 'copy')
    }
  }

  private changeFolders(node: Node): void {
    // A removed folder keeps its page, so there is room for only so many.
    const makeable = node.folders.length < TRASH ? this.goalFolders : []
    for (const name of makeable) {
      if (node.folders.includes(name)) continue
      const { page, item } = node
      if (page === TRASH) {
        // The button is on the pages of folders; which of them is shown next is decided by what follows.
        for (let folder = 0; folder < node.folders.length; folder++) {
          if (node.folders[folder] === null) continue
          this.next(node, folder, 1 + DIALOG_ACTS, { folders: [...node.folders, name], item: -1 }, 'new')
        }
      } else this.next(node, page, DIALOG_ACTS, { folders: [...node.folders, name], item }, 'new')
    }
    for (let folder = this.startFolders; folder < node.folders.length; folder++) {
      const name = node.folders[folder]
      if (
        name === null ||
        name === undefined ||
        this.goalFolders.includes(name) ||
        node.files.some((file) => file.folder === folder)
      )
        continue
      const reach = node.page === folder && node.item === -1 ? 0 : 1
      const folders = node.folders.map((other, index) => (index === folder ? null : other))
      this.reachPage(node, folder, reach + 1, { folders, page: 0, item: -1 })
    }
  }

  private reachPage(node: Node, page: number, acts: number, after: Partial<Node> = { page, item: -1 }): void {
    const unseen = node.unseen & ~(1 << page)
    this.push({ ...node, ...after, unseen: unseen & ~(1 << (after.page ?? page)), cost: node.cost + acts })
  }

  /** An errand on `page`; its button may have to be brought up from the More menu. */
  private next(node: Node, page: number, acts: number, after: Partial<Node>, button?: Button): void {
    const isHidden = button !== undefined && !node.isMenuOpen && this.nested.includes(button)
    const isMenuOpen = node.isMenuOpen || isHidden
    const cost = node.cost + acts + (isHidden ? 1 : 0)
    this.push({ ...node, page, ...after, isMenuOpen, unseen: node.unseen & ~(1 << page), cost })
  }
}

const isTaken = (files: readonly FileFact[], folder: number, name: string) =>
  files.some((file) => !file.isTrashed && file.folder === folder && file.name === name)

function withFile(files: readonly FileFact[], index: number, file: FileFact): FileFact[] {
  const copy = files.slice()
  copy[index] = file
  return copy
}

function keyOf({ files, folders, page, item, isMenuOpen, unseen }: Node): string {
  let key = `${page} ${item} ${isMenuOpen ? 1 : 0} ${unseen} ${folders.join()}`
  for (const { content, name, folder, isTrashed, isMade } of files) {
    key += `|${content} ${name} ${folder} ${isTrashed ? 1 : 0}${isMade ? 1 : 0}`
  }
  return key
}
