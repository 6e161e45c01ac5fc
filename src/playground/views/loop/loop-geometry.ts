/** Positions of the nodes and arrows of the loop, for a width in CSS pixels. Text keeps its size; only distances change. */
import type { FlowId } from './loop-symbols.ts'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}
export interface Arrow {
  id: FlowId
  /** SVG path; the head is at its end. */
  path: string
  label: { x: number; y: number; anchor: 'start' | 'middle' | 'end' }
}
export interface LoopGeometry {
  isWide: boolean
  width: number
  height: number
  policy: Box
  environment: Box
  reward: Box
  junction: Box
  arrows: Arrow[]
}

export const WIDE_FROM = 640

/** `rem` is the text size in pixels; boxes scale with it. A box with a switch is taller. */
export function loopGeometry(width: number, rem = 16, hasSwitches = true): LoopGeometry {
  const isWide = width >= WIDE_FROM * (rem / 16)
  const unit = rem / 16
  const gap = 5 * unit
  const nodeWidth = isWide ? Math.min(232 * unit, width * 0.25) : Math.min(200 * unit, (width - 60 * unit) / 2)
  const nodeHeight = ((isWide ? 132 : 128) - (hasSwitches ? 0 : 24)) * unit
  const top = (isWide ? 16 : 0) * unit
  const policy = { x: 0, y: top, width: nodeWidth, height: nodeHeight }
  const environment = { x: width - nodeWidth, y: top, width: nodeWidth, height: nodeHeight }
  const middle = width / 2
  const junctionHeight = 50 * unit
  const junctionWidth = (isWide ? 184 : 168) * unit
  const junctionY = top + nodeHeight + (isWide ? 36 : 40) * unit
  const junction = { x: middle - junctionWidth / 2, y: junctionY, width: junctionWidth, height: junctionHeight }
  const rewardWidth = isWide ? nodeWidth : Math.min(220 * unit, width * 0.62)
  const rewardY = junctionY + junctionHeight + (isWide ? 60 : 46) * unit
  const reward = { x: middle - rewardWidth / 2, y: rewardY, width: rewardWidth, height: nodeHeight }
  const height = rewardY + nodeHeight

  const upper = top + nodeHeight * (isWide ? 0.36 : 0.3)
  const lower = top + nodeHeight * (isWide ? 0.82 : 0.7)
  const bottom = top + nodeHeight
  const junctionMiddle = junctionY + junctionHeight / 2
  const rewardMiddle = rewardY + nodeHeight / 2
  /** Where arrows meet the boxes, as a share of their width: further out where labels would cover the arrows otherwise. */
  const isRoomy = nodeWidth === 232 * unit
  const inner = isRoomy ? 0.62 : 0.44
  const outer = isRoomy ? 0.24 : 0.14
  const policyInner = policy.x + nodeWidth * inner
  const policyOuter = policy.x + nodeWidth * outer
  const environmentInner = environment.x + nodeWidth * (1 - inner)
  const environmentOuter = environment.x + nodeWidth * (1 - outer)
  const between = 13 * unit
  /** Vertical, a quarter turn, then horizontal; `turnBack` is the reverse. */
  const turn = (x0: number, y0: number, x1: number, y1: number) => {
    const r = Math.min(28 * unit, Math.abs(y1 - y0), Math.abs(x1 - x0))
    return `M${n(x0)} ${n(y0)} V${n(y1 - Math.sign(y1 - y0) * r)} Q${n(x0)} ${n(y1)} ${n(x0 + Math.sign(x1 - x0) * r)} ${n(y1)} H${n(x1)}`
  }
  const turnBack = (x0: number, y0: number, x1: number, y1: number) => {
    const r = Math.min(28 * unit, Math.abs(y1 - y0), Math.abs(x1 - x0))
    return `M${n(x0)} ${n(y0)} H${n(x1 - Math.sign(x1 - x0) * r)} Q${n(x1)} ${n(y0)} ${n(x1)} ${n(y0 + Math.sign(y1 - y0) * r)} V${n(y1)}`
  }
  /** Above the middle of the horizontal part, or on the vertical one in the narrow layout. */
  const turned = (level: number, upright: number, y: number, uprightY: number): Arrow['label'] => ({
    x: isWide ? level : upright,
    y: isWide ? y : uprightY,
    anchor: 'middle',
  })
  const leftMiddle = (policyInner + junction.x) / 2
  const rightMiddle = (environmentInner + junction.x + junction.width) / 2
  const lowLeft = (policyOuter + reward.x) / 2
  const lowRight = (environmentOuter + reward.x + reward.width) / 2
  const head = gap + 2 * unit
  const arrows: Arrow[] = [
    {
      id: 'actions',
      path: `M${n(policy.x + nodeWidth)} ${n(upper)} H${n(environment.x - head)}`,
      label: { x: middle, y: upper, anchor: 'middle' },
    },
    {
      id: 'tasks',
      path: `M${n(environment.x)} ${n(lower)} H${n(policy.x + nodeWidth + head)}`,
      label: { x: middle, y: lower, anchor: 'middle' },
    },
    {
      id: 'outcome',
      path: turn(environmentInner, bottom, junction.x + junction.width + head, junctionMiddle),
      label: turned(rightMiddle, environmentInner, junctionMiddle, (bottom + junctionMiddle) / 2),
    },
    {
      id: 'advantage',
      path: turnBack(junction.x, junctionMiddle, policyInner, bottom + head),
      label: turned(leftMiddle, policyInner, junctionMiddle, (bottom + junctionMiddle) / 2 + 6 * unit),
    },
    {
      id: 'score',
      path: `M${n(middle + between)} ${n(rewardY)} V${n(junctionY + junctionHeight + head)}`,
      label: { x: middle + between + 8 * unit, y: (rewardY + junctionY + junctionHeight) / 2, anchor: 'start' },
    },
    {
      id: 'consistency',
      path: `M${n(middle - between)} ${n(junctionY + junctionHeight)} V${n(rewardY - head)}`,
      label: { x: middle - between - 8 * unit, y: (rewardY + junctionY + junctionHeight) / 2, anchor: 'end' },
    },
    {
      id: 'steps',
      path: turn(policyOuter, bottom, reward.x - head, rewardMiddle),
      label: turned(lowLeft, policyOuter, rewardMiddle, rewardY),
    },
    {
      id: 'critic',
      path: turnBack(reward.x + reward.width, rewardMiddle, environmentOuter, bottom + head),
      label: turned(lowRight, environmentOuter - 8 * unit, rewardMiddle, rewardY),
    },
  ]
  return { isWide, width, height, policy, environment, reward, junction, arrows }
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10)
}
