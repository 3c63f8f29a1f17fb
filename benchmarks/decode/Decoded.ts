import type { Quartiles } from "../report/statistics.js"

export const documents = ["one payment", "page of 100"] as const

export type Document = (typeof documents)[number]

/** The cost of a decoder for a document. */
export interface Decoded {
  readonly document: Document
  readonly decoder: string
  readonly micros: number
  /** The time relative to `JSON.parse` of the same text. */
  readonly ratio: Quartiles
}
