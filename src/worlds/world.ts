/** What the rest of the app asks of a world: its words and numbers as plain data, and what opening it gives. */
import type { ChatPieces } from '../method/chat-pieces.ts'
import type { Phase, WorldFile } from '../method/events.ts'
import type { FixedTrajectory } from '../method/judge-evaluation/fixed-trajectory.ts'
import type { LoopPorts } from '../method/loop-contract.ts'
import type { Role, RoleFormats } from '../method/ports.ts'
import type { PresetName } from '../method/presets.ts'
import type { Settings } from '../method/settings.ts'

type SettingName = keyof Settings

/** Plain data, without the code of the world: the page loads the descriptors of all worlds at once. */
export interface WorldDescriptor {
  title: string
  /** What happens in the world, in one line. */
  about: string
  /** The loop in this world, in one sentence. */
  sentence: string
  /** In the singular. */
  nouns: { task: string; rollout: string }
  titles: {
    /** The rollouts of an iteration. */
    rollouts: string
    /** The tasks of a run and their rewrites. */
    tasks: string
    /** What a person may import. */
    imports: string
  }
  rollouts: {
    /** Paragraphs. */
    help: readonly string[]
    /** Said before there are any. */
    none: string
    /** Names the list of an iteration's tasks. */
    tasks: string
  }
  /** How the reward model judges: it votes on every step, or it writes tests that every program runs. */
  evidence: 'votes' | 'tests'
  /** A task's id begins with its kind and this. */
  kindEnds: string
  /** Whether an episode is a single step. */
  isOneStep: boolean
  /** How the environment's answer to a command without effect starts; null where every command has one. */
  noEffect: string | null
  presets: WorldPresets
  /** Settings of this world alone, and why they have no meaning in the others. */
  own: { names: readonly SettingName[]; elsewhere: string }
  /** Settings without meaning here, each group with the reason. */
  irrelevant: readonly { names: readonly SettingName[]; why: string }[]
  /** Labels and help of settings that have other words here. */
  settingWords: Readonly<Partial<Record<SettingName, { label: string; help: string }>>>
  /** Rows of the ablation table that differ in the policy's signal. */
  ablations: Readonly<Record<'grpo' | 'step-frozen' | 'step-trained' | 'outcome' | 'step', string>>
  phases: Readonly<Record<Phase, string>>
  /** What the world measures, as charts of accuracy. */
  charts: readonly WorldChart[]
  /** p₊ and p₋ of the theory, as this world estimates them. */
  precision: string
  flows: WorldFlows
  /** Where the profiles differ: what is computed, under `paper`, under `reference`. */
  profiles: readonly (readonly [what: string, paper: string, reference: string])[]
  /** Null where there is nothing to import. */
  imports: WorldImports | null
  /** The system of the released code that a cluster runs for this world; null where the release has none. */
  releasedSystem: 'alfworld' | 'coding' | 'osworld' | null
  /** Whether a published log keeps the bodies of tasks that were played, because the page shows them. */
  publishesPlayedTasks: boolean
  /** What to tell a person when opening the world failed with an error of this name. */
  openingFailure(error: string, isResumed: boolean): { what: string; remedy: string }
}

export interface WorldPresets {
  own: PresetName
  /** The released code's arithmetic. */
  reference: PresetName
  /** Laid over `own`, so that arms share everything else. */
  overlays: readonly PresetName[]
}

export interface WorldChart {
  id: string
  title: string
  /** One sentence on what is drawn and how it is defined. */
  about: string
  unit: 'share' | 'count' | 'number'
  series: readonly {
    name: string
    hue: 'policy' | 'reward' | 'environment' | 'ink'
    line: 'solid' | 'dashed' | 'dotted' | 'long-dashed' | 'dash-dotted'
    metric: string
  }[]
}

/** What moves along the arrows of the loop's diagram. */
export interface WorldFlows {
  actions: string
  tasks: string
  steps: string
  score: string
  /** The junction under the profile `reference`, where it differs from R = O + λ S̄. */
  referenceJunction: string | null
  /** How good the reward model is. `share` writes the latest value of a metric; null if the run has none. */
  reward(share: (metric: string) => string | null): string
}

/** Tasks that a person may import. The setting is also the name of the argument on the command line. */
export interface WorldImports {
  setting: 'games' | 'problems'
  /** The setting's value for imported tasks. */
  value: string
  /** "ALFWorld games" */
  name: string
  /** Said where the setting offers the value and nothing is imported. */
  missing: string
  /** What the argument names, and what it does. */
  path: string
  usage: string
}

export interface WorldRequest {
  settings: Settings
  /** The run continues with the tasks in its log; only evaluations draw new ones. */
  isResumed: boolean
  /** The file of a world of one's own. */
  worldFile?: WorldFile | undefined
}

/** How to address the model of each role; null for a model that continues plain text. */
export type RolePieces = Record<Role, ChatPieces | null>

/** What a role may write, in XGrammar's EBNF, by how its model is addressed; null allows anything. */
export interface RoleGrammars {
  plain: string | null
  instruct: string | null
}

export interface OpenedWorld extends Pick<LoopPorts, 'environment' | 'unitTests'> {
  /** Prompts and parsers of each role. They depend on the models, so they are known once these are loaded. */
  formatsFor(pieces: RolePieces): Promise<RoleFormats>
  /** For models that are not trained. */
  grammars(): Promise<Record<Role, RoleGrammars>>
  /** Reads the world's file of fixed trajectories (stored-trajectories.ts). Throws TrajectoryFileError. */
  fixedTrajectories(text: string): Promise<FixedTrajectory[]>
  /** Set for a world from a file. */
  worldFile?: WorldFile
  /** Whether the environment has rewrites; it has by default. */
  canRewrite?: boolean
  close(): void
}
