/** The linear layers of a decoder, by their names in Hugging Face and PEFT. Apart from what computes with them, so that the page may offer them. */
export const PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const
export type ProjectionName = (typeof PROJECTIONS)[number]
