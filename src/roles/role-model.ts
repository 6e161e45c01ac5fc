/** A model that can play a role: what the loop needs, how to prompt it, and what loading it reports. */
import type { ChatPieces } from '../method/chat-pieces.ts'
import type { LanguageModelPort } from '../method/ports.ts'

export interface RoleModel extends LanguageModelPort {
  /** Null for models that continue plain text, such as the built-in ones, which were trained on the role formats. */
  chatPieces(): Promise<ChatPieces | null>
  /**
   * The model as a standard Hugging Face folder, with adapters merged in. Null if its weights cannot change; missing if they are
   * not on this machine.
   */
  saveFolder?(): Promise<FolderFiles | null>
}

/** The files of a folder, by name. */
export type FolderFiles = Readonly<Record<string, Uint8Array>>

export interface ModelInfo {
  parameters: number
  /** Weights that an update changes; all of them if absent. */
  trainedParameters?: number
  /** What computes, in words: "WebAssembly, relaxed SIMD, one thread". */
  backendDescription: string
  /** Tokens that prompt and response may have together. */
  maxPositions: number
}

/** Bytes loaded; `total` is 0 while unknown. */
export type OnBytes = (done: number, total: number) => void
