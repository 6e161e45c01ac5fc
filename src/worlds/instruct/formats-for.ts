/** The formats of a run's roles: a chat model's where a chat model plays the role, else the plain ones. */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { RoleFormats } from '../../method/ports.ts'
import type { RolePieces } from '../world.ts'

type InstructFormats = { [Role in keyof RoleFormats]: (pieces: ChatPieces) => RoleFormats[Role] }

/** `loadInstruct` is called only if a chat model plays a role. */
export async function formatsFor(
  { policy, reward, author }: RolePieces,
  plain: RoleFormats,
  loadInstruct: () => Promise<InstructFormats>,
): Promise<RoleFormats> {
  if (!policy && !reward && !author) return plain
  const instruct = await loadInstruct()
  return {
    // A response that is cut at the token limit ends as the model would have ended it.
    policy: policy ? { ...instruct.policy(policy), responseEnd: policy.responseEnd } : plain.policy,
    reward: reward ? instruct.reward(reward) : plain.reward,
    author: author ? instruct.author(author) : plain.author,
  }
}
