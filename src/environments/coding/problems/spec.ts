/** What a generated problem asks for. */
export interface Spec {
  kind: string
}
