/**
 * The parts of the sandbox's state. Rows are immutable, and a change replaces a row, so that the state can be
 * written and read with one schema.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** Rows by key, in the order in which their keys were first set. */
export class Table<Row> {
  readonly schema: Schema.Schema<Row, unknown>
  readonly keyOf: (row: Row) => string
  private readonly rows = new Map<string, Row>()
  private changed: (key: string, row: Row | undefined) => void = () => {}

  constructor(
    schema: Schema.Schema.AnyNoContext & { readonly Type: Row },
    keyOf: (row: Row) => string
  ) {
    this.schema = Schema.make(schema.ast)
    this.keyOf = keyOf
  }

  get(key: string): Row | undefined {
    return this.rows.get(key)
  }

  set(row: Row): void {
    const key = this.keyOf(row)
    this.rows.set(key, row)
    this.changed(key, row)
  }

  remove(key: string): boolean {
    const isRemoved = this.rows.delete(key)
    if (isRemoved) this.changed(key, undefined)
    return isRemoved
  }

  all(): ReadonlyArray<Row> {
    return Array.from(this.rows.values())
  }

  get size(): number {
    return this.rows.size
  }

  /** Calls a function from now on with the key of each changed row, and the row in JSON: `null` if it was removed. */
  watch(onChange: (key: string, json: unknown) => void): void {
    const encode = Schema.encodeSync(this.schema)
    this.changed = (key, row) => onChange(key, row === undefined ? null : encode(row))
  }

  /** Makes a change that `watch` reported. Returns `false` if it is none of this table. */
  change(key: string, json: unknown): boolean {
    if (json === null) {
      // The row may have been added and removed between two writes.
      this.remove(key)
      return true
    }
    const row = Schema.decodeUnknownEither(this.schema)(json)
    if (Either.isRight(row)) this.set(row.right)
    return Either.isRight(row)
  }
}

/** A table of at most one row. */
export class Value<A> extends Table<A> {
  private readonly initial: A

  constructor(schema: Schema.Schema.AnyNoContext & { readonly Type: A }, initial: NoInfer<A>) {
    super(schema, () => "")
    this.initial = initial
  }

  current(): A {
    return this.get("") ?? this.initial
  }
}
