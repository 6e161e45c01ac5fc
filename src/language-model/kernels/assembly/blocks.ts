/**
 * Sizes of a product's blocks, as in Goto and van de Geijn (2008): a KC × NC block of B and an MC × KC block of A are copied into
 * panels in the order in which the inner loop reads them, and the inner loop keeps a 6 × 8 tile of C in registers. The engine has
 * 15 vector registers: 12 for the tile, 2 for B and 1 for a broadcast element of A. Fewer sums would wait for one another, as a
 * multiply-add takes four cycles and two start in each. Without a fused multiply-add, a product needs a register too, so the tile
 * is 4 × 8.
 */
export const ROWS: i32 = ASC_FEATURE_RELAXED_SIMD ? 6 : 4
/** Rows of a block's last tile if that is enough. */
export const FEW_ROWS: i32 = 4
export const COLUMNS: i32 = 8
export const MC: i32 = 48
export const KC: i32 = 256
export const NC: i32 = 512
