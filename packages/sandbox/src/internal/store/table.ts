/**
 * The parts of the sandbox's state: tables of rows and single values. Rows are immutable, and a change
 * replaces a row, so that the state can be written and read with one schema.
 */
import type * as Schema from "effect/Schema"

/** Rows by key, in the order in which their keys were first set. */
export interface Table<Row> {
  /** Calls a function with each new row from now on, and with the key of each removed one. */
  readonly watch: (onChange: (key: string, row: Row | undefined) => void) => void
  readonly get: (key: string) => Row | undefined
  readonly set: (row: Row) => void
  readonly remove: (key: string) => boolean
  readonly all: () => ReadonlyArray<Row>
  readonly size: () => number
}

export interface Value<A> {
  readonly watch: (onChange: (value: A) => void) => void
  readonly get: () => A
  readonly set: (value: A) => void
}

export interface DeclaredTable<in out Row, in out Encoded> {
  readonly _tag: "Table"
  readonly schema: Schema.Schema<Row, Encoded>
  readonly keyOf: (row: Row) => string
}

export interface DeclaredValue<in out A, in out Encoded> {
  readonly _tag: "Value"
  readonly schema: Schema.Schema<A, Encoded>
  readonly initial: A
}

export const table = <Row, Encoded>(
  schema: Schema.Schema<Row, Encoded>,
  keyOf: (row: Row) => string
): DeclaredTable<Row, Encoded> => ({ _tag: "Table", schema, keyOf })

export const value = <A, Encoded>(
  schema: Schema.Schema<A, Encoded>,
  initial: A
): DeclaredValue<A, Encoded> => ({ _tag: "Value", schema, initial })

export const makeTable = <Row, Encoded>({ keyOf }: DeclaredTable<Row, Encoded>): Table<Row> => {
  const rows = new Map<string, Row>()
  let changed: (key: string, row: Row | undefined) => void = () => {}
  return {
    watch: (onChange) => {
      changed = onChange
    },
    get: (key) => rows.get(key),
    set: (row) => {
      const key = keyOf(row)
      rows.set(key, row)
      changed(key, row)
    },
    remove: (key) => {
      const isRemoved = rows.delete(key)
      if (isRemoved) changed(key, undefined)
      return isRemoved
    },
    all: () => Array.from(rows.values()),
    size: () => rows.size
  }
}

export const makeValue = <A>(initial: A): Value<A> => {
  let current = initial
  let changed: (value: A) => void = () => {}
  return {
    watch: (onChange) => {
      changed = onChange
    },
    get: () => current,
    set: (value) => {
      current = value
      changed(value)
    }
  }
}
