/** The answers of operations: rows for programs, and text for a terminal. */
import type * as Execution from "@manilla/workflow-engine/Execution"
import * as Data from "effect/Data"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import { grouped } from "./money.js"

/** A refusal. Nothing was changed, except perhaps after 503: the store failed. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 404 | 409 | 503
  readonly message: string
}> {}

export const refused = (status: Refused["status"], message: string): Refused =>
  new Refused({ status, message })

export type Row = Readonly<Record<string, unknown>>

export type Expected =
  | Refused
  | Execution.StorageError
  | Execution.ExecutionNotFound
  | Execution.ExecutionNotEnded
  | Execution.ExecutionPurged

/** The start of a batch stores its items before its execution. */
export const noItems = refused(
  409,
  "its items are not stored yet: nothing was sent. Repeat this later, or start it again if its start has failed."
)

export const toRefused = (error: Expected): Refused => {
  if (error._tag === "Refused") return error
  // Here, only a batch is not found, whose items are not stored yet.
  if (error._tag === "ExecutionNotFound") return noItems
  return refused(error._tag === "StorageError" ? 503 : 409, error.message)
}

/** The result of an operation. */
export interface Answer {
  /** As JSON. */
  readonly rows: Stream.Stream<Row, Refused>
  /** For a terminal of 100 columns. */
  readonly text: Stream.Stream<string, Refused>
}

/** The rows of an operation, and its text if that is not a table. */
export interface Found {
  readonly rows: Stream.Stream<Row, Expected>
  readonly text?: Answer["text"]
  /** In place of the rows of an empty table. */
  readonly none?: string
  /** After the table. */
  readonly last?: string | undefined
}

/** Control characters would move the cursor of the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}")

/** A cell of a table in a terminal. An amount is never cut. */
const cell = (column: string, value: unknown, width: number): string => {
  const text = plain(String(value ?? ""))
  if (column === "amount") return grouped(text).padStart(width)
  return text.length > width ? `${text.slice(0, width - 2)}..` : text.padEnd(width)
}

/** The text of rows is a table with these columns, which have a width. */
export const toAnswer = (found: Found, columns: Readonly<Record<string, number>>): Answer => {
  const rows = Stream.mapError(found.rows, toRefused)
  const header = Record.map(columns, (_, name) => name.toUpperCase())
  const line = (row: Row) =>
    Record.collect(columns, (name, width) => cell(name, row[name], width))
      .join(" ")
      .trimEnd()
  const lines = Stream.orElseIfEmpty(Stream.map(rows, line), () => found.none ?? "none")
  const last = found.last === undefined ? Stream.empty : Stream.make("", found.last)
  const text = Stream.make(line(header)).pipe(Stream.concat(lines), Stream.concat(last))
  return { rows, text: found.text ?? text }
}
