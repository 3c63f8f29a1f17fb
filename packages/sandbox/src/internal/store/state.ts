/**
 * The whole state of a sandbox as one value with one schema.
 */
import type { Issue } from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as outcomes from "../faults/outcomes.js"
import * as faults from "../faults/queue.js"
import * as ledger from "../money/ledger.js"
import * as wallets from "../money/wallets.js"
import * as idempotency from "../rules/idempotency.js"
import * as identifiers from "../rules/identifiers.js"
import * as accounts from "../service/accounts.js"
import * as cardholders from "../service/cardholders.js"
import * as cards from "../service/cards.js"
import * as paymentLinks from "../service/paymentLinks.js"
import * as payments from "../service/payments.js"
import * as payouts from "../service/payouts.js"
import * as refunds from "../service/refunds.js"
import * as transactions from "../service/transactions.js"
import * as agenda from "../time/agenda.js"
import * as clock from "../time/clock.js"
import * as table from "./table.js"

const declared = {
  clock: clock.declared,
  generator: identifiers.declared,
  account: accounts.declared,
  tokens: accounts.declaredTokens,
  planned_events: agenda.declaredCount,
  agenda: agenda.declared,
  added_faults: faults.declaredCount,
  faults: faults.declared,
  met_outcomes: outcomes.declared,
  idempotency_keys: idempotency.declared,
  journal: ledger.declaredJournal,
  ledger_accounts: ledger.declaredAccounts,
  wallets: wallets.declared,
  payments: payments.declared,
  payouts: payouts.declared,
  transactions: transactions.declared,
  refunds: refunds.declared,
  payment_links: paymentLinks.declared,
  cardholders: cardholders.declared,
  cards: cards.declared
}

type Declared = typeof declared

export type State = {
  readonly [Name in keyof Declared]: Declared[Name] extends table.DeclaredTable<
    infer Row,
    infer _Encoded
  >
    ? table.Table<Row>
    : Declared[Name] extends table.DeclaredValue<infer A, infer _Encoded>
      ? table.Value<A>
      : never
}

/** A new value or row of a part, or `undefined` for a removed row. The key of a value is empty. */
export type OnChange = (part: string, key: string, row: unknown) => void

/** The parts without their types, which the functions below do not need. */
const parts: ReadonlyArray<
  readonly [
    name: string,
    part: table.DeclaredTable<unknown, unknown> | table.DeclaredValue<unknown, unknown>
  ]
> = Object.entries(declared as never)

export const make = (): State => {
  const made = parts.map(([name, part]) => [
    name,
    part._tag === "Value" ? table.makeValue(part.initial) : table.makeTable(part)
  ])
  // Each part is made from the declaration of the same name, as `State` requires.
  return Object.fromEntries(made) as never
}

const partsOf = (
  state: State
): ReadonlyArray<readonly [string, table.Table<unknown> | table.Value<unknown>]> =>
  Object.entries(state as never)

/** Calls a function with each change from now on. */
export const watch = (state: State, onChange: OnChange): void => {
  for (const [name, part] of partsOf(state)) {
    if ("all" in part) part.watch((key, row) => onChange(name, key, row))
    else part.watch((value) => onChange(name, "", value))
  }
}

/** A value, or the rows of a table. */
type Contents = Readonly<Record<string, unknown>>

const All: Schema.Schema<Contents, Contents> = Schema.Struct(
  Object.fromEntries(
    parts.map(([name, { _tag, schema }]) => [
      name,
      _tag === "Value" ? schema : Schema.Array(schema)
    ])
  )
)

const encodeAll = Schema.encodeSync(All)
const decodeAll = Schema.decodeUnknownEither(All)
const issuesOf = Issues.validator(All, ["state"], { onExcessProperty: "error" })

/** The whole state as JSON. */
export const encode = (state: State): Contents => {
  const contents = partsOf(state).map(([name, part]) => [
    name,
    "all" in part ? part.all() : part.get()
  ])
  return encodeAll(Object.fromEntries(contents))
}

/** Reads a state from JSON, or says why that is none. */
export const decode = (json: unknown): Either.Either<State, ReadonlyArray<Issue>> => {
  const decoded = decodeAll(json)
  if (Either.isLeft(decoded)) return Either.left(issuesOf(json))
  const state = make()
  const issues = fill(state, decoded.right)
  return issues.length > 0 ? Either.left(issues) : Either.right(state)
}

/** The encodings of the rows and values of each part. */
const codecs = new Map(
  parts.map(([name, { schema }]) => [
    name,
    { encode: Schema.encodeSync(schema), decode: Schema.decodeUnknownEither(schema) }
  ])
)

/** A changed row in JSON, or `null` for a removed one. */
export const Change = Schema.Tuple(Schema.String, Schema.String, Schema.Unknown)

export type Change = typeof Change.Type

export const encodeChange = (part: string, key: string, row: unknown): Change => [
  part,
  key,
  row === undefined ? null : (codecs.get(part)?.encode(row) ?? null)
]

/** Makes a change. Returns `false` if it is not a change of a state. */
export const change = (state: State, [name, key, row]: Change): boolean => {
  const part = partsOf(state).find(([one]) => one === name)?.[1]
  const codec = codecs.get(name)
  if (part === undefined || codec === undefined) return false
  if (row === null) {
    // The row may have been added and removed between two writes.
    if ("remove" in part) part.remove(key)
    return "remove" in part
  }
  const decoded = codec.decode(row)
  if (Either.isLeft(decoded)) return false
  part.set(decoded.right)
  return true
}

export const isSound = (state: State): boolean =>
  ledger.isSound({ journal: state.journal, accounts: state.ledger_accounts })

const fill = (state: State, contents: Contents): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  for (const [name, part] of partsOf(state)) {
    const content = contents[name]
    if ("all" in part) {
      const rows = Array.isArray(content) ? content : []
      for (const row of rows) part.set(row)
      if (part.size() < rows.length) {
        issues.push({ field: `state.${name}`, rule: "must not have the same key twice" })
      }
    } else {
      part.set(content)
    }
  }
  if (!isSound(state)) {
    issues.push({
      field: "state.ledger_accounts",
      rule: "must have the balances of the journal, whose entries balance"
    })
  }
  return issues
}
