/**
 * The queue of pending faults.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Utils from "effect/Utils"
import type * as Fault from "../../Fault.js"
import * as Outcome from "../../Outcome.js"
import * as ServiceApi from "../../ServiceApi.js"
import * as identifiers from "../rules/identifiers.js"
import * as table from "../store/table.js"
import * as outcomes from "./outcomes.js"

/** The parts of a request that select its fault. */
export interface Selector {
  readonly operation: string | undefined
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The JSON of the body; `undefined` if it is not JSON. */
  readonly body: () => unknown
}

export interface Queue extends Fault.Faults {
  /** Takes the fault that applies to a request, if any. */
  readonly take: (request: Selector) => Effect.Effect<Fault.Fault | undefined>
}

const isOperation = (name: string): name is Fault.OperationName => ServiceApi.operations.has(name)

/** A number, or `"always"` for `Infinity`, which JSON does not have. */
const Count = Schema.Union(
  Schema.JsonNumber,
  Schema.transform(
    Schema.Literal("always"),
    Schema.Number.pipe(Schema.filter((value) => value === Infinity)),
    {
      decode: () => Infinity,
      encode: () => "always" as const
    }
  )
)

const Bytes = Schema.transform(
  Schema.Struct({ base64: Schema.Uint8ArrayFromBase64 }),
  Schema.Uint8ArrayFromSelf,
  { decode: ({ base64 }) => base64, encode: (base64) => ({ base64 }) }
)

const target = {
  operation: Schema.optional(Schema.String.pipe(Schema.filter(isOperation))),
  times: Schema.optional(Count),
  header: Schema.optional(
    Schema.Struct({ name: Schema.String, value: Schema.optional(Schema.String) })
  ),
  field: Schema.optional(
    Schema.Struct({
      name: Schema.String,
      value: Schema.Union(Schema.String, Schema.JsonNumber, Schema.Boolean, Schema.Null)
    })
  ),
  probability: Schema.optional(Schema.JsonNumber),
  seed: Schema.optional(Schema.JsonNumber)
}

/** A fault without the limits of a control call, because a program can add any. */
const AnyFault = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Drop"),
    when: Schema.Literal("before", "after"),
    ...target
  }),
  Schema.Struct({ _tag: Schema.Literal("Delay"), duration: Schema.Duration, ...target }),
  Schema.Struct({ _tag: Schema.Literal("Outcome"), outcome: Schema.String, ...target }),
  Schema.Struct({
    _tag: Schema.Literal("Answer"),
    processed: Schema.Boolean,
    status: Schema.optional(Schema.JsonNumber),
    retryAfter: Schema.optional(Schema.Union(Schema.JsonNumber, Schema.String)),
    body: Schema.optional(Schema.Union(Schema.String, Bytes)),
    contentType: Schema.String,
    ...target
  })
)

const Row = Schema.Struct({
  id: Schema.String,
  fault: AnyFault,
  remaining: Count,
  /** The generator of the draws for `probability`. */
  generator: identifiers.Generator
})

type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

/** The number of faults that were ever added. */
export const declaredCount = table.value(Schema.NonNegativeInt, 0)

export interface Options {
  readonly rows: table.Table<Row>
  readonly count: table.Value<number>
}

export const make = ({ count, rows }: Options): Queue => {
  const register: Queue["register"] = (fault) =>
    Effect.sync(() => {
      count.set(count.get() + 1)
      const row: Row = {
        id: `fault-${count.get()}`,
        fault: stored(fault),
        remaining: fault.times ?? 1,
        generator: new Utils.PCGRandom(fault.seed ?? 0).getState()
      }
      if (row.remaining >= 1) rows.set(row)
      return pendingOf(row)
    })

  /** Whether the draw for `probability` lets the fault apply. */
  const isDrawn = (row: Row): boolean => {
    const { probability } = row.fault
    if (probability === undefined) return true
    const random = new Utils.PCGRandom()
    random.setState(row.generator)
    const drawn = random.number()
    rows.set({ ...row, generator: random.getState() })
    return drawn < probability
  }

  return {
    add: (...faults) => Effect.forEach(faults, register, { discard: true }),
    register,
    remove: (id) => Effect.sync(() => rows.remove(id)),
    clear: Effect.sync(() => {
      for (const { id } of rows.all()) rows.remove(id)
    }),
    pending: Effect.sync(() => rows.all().map(pendingOf)),
    take: (request) =>
      Effect.sync(() => {
        const met = rows
          .all()
          .find((row) => selects(row.fault, request) && applies(row.fault, request) && isDrawn(row))
        const row = met && rows.get(met.id)
        if (row === undefined) return undefined
        if (row.remaining > 1) rows.set({ ...row, remaining: row.remaining - 1 })
        else rows.remove(row.id)
        return row.fault
      })
  }
}

const stored = (fault: Fault.Fault): Row["fault"] =>
  fault._tag === "Delay" ? { ...fault, duration: Duration.decode(fault.duration) } : fault

const pendingOf = ({ fault, id, remaining }: Row): Fault.Pending => ({ id, fault, remaining })

/** An outcome applies to its operations only. */
const applies = (fault: Row["fault"], { operation }: Selector): boolean =>
  fault._tag !== "Outcome" ||
  Outcome.outcomes.some((one) => one.name === fault.outcome && Outcome.appliesTo(one, operation))

const selects = (
  { field, header, operation }: Fault.Target,
  { body, headers, operation: requested }: Selector
): boolean => {
  if (operation !== undefined && operation !== requested) return false
  if (header !== undefined) {
    const given = headers[header.name.toLowerCase()]
    if (given === undefined || (header.value !== undefined && given !== header.value)) return false
  }
  return field === undefined || outcomes.valueAt(body(), field.name) === field.value
}
