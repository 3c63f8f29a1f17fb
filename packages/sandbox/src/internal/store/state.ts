/**
 * The whole state of a sandbox: its tables, and the schemas of their rows. Identifiers, credentials and everything
 * that the service remembers is here, so that a snapshot and the data file are complete.
 */
import * as Card from "@manilla/cards/Card"
import * as Cardholder from "@manilla/cards/Cardholder"
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Issues from "@manilla/core/Issues"
import * as Metadata from "@manilla/core/Metadata"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Wallet from "@manilla/core/Wallet"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payout from "@manilla/payouts/Payout"
import * as Refund from "@manilla/refunds/Refund"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Ledger from "../../Ledger.js"
import * as Scenario from "../../Scenario.js"
import { Table, Value } from "./table.js"

/** Changes when a sandbox cannot read the state of an earlier one. */
export const version = 4

/** The state of a generator of identifiers. */
export const Generator = Schema.mutable(
  Schema.Tuple(Schema.Int, Schema.Int, Schema.Int, Schema.Int)
)

/**
 * The conditions of rule 1 in interface section 5.1. Revoking the credential also revokes its tokens (rule 4), so
 * requests get 401.
 */
export const Standing = Schema.Struct({
  accountActive: Schema.Boolean,
  kybApproved: Schema.Boolean,
  applicationActive: Schema.Boolean,
  credentialActive: Schema.Boolean
})

export const Account = Schema.Struct({
  account_id: Schema.String,
  application_id: Schema.String,
  client_id: Schema.String,
  client_secret: Schema.String,
  granted_scopes: Schema.Array(Schema.String),
  standing: Standing
})

const newAccount: typeof Account.Type = {
  account_id: "",
  application_id: "",
  client_id: "",
  client_secret: "",
  granted_scopes: [],
  standing: Record.map(Standing.fields, () => true)
}

const Token = Schema.Struct({ token: Schema.String, expires_ms: Schema.Number })

/** A timed event, which gives a resource another status. */
export const Planned = Schema.Struct({
  index: Schema.Int,
  at_ms: Schema.Number,
  kind: Schema.Literal("payment", "payout", "refund", "link"),
  /** The key of the resource. */
  key: Schema.String,
  status: Schema.String
})

export const Fault = Schema.Struct({
  ...Scenario.PendingFault.fields,
  /** The generator of the draws for `probability`. */
  generator: Generator
})

/** A scenario that applied once to an idempotency key. */
export const MetScenario = Schema.Struct({
  operation: Schema.String,
  key: Schema.String,
  scenario: Schema.String
})

export const UsedKey = Schema.Struct({
  operation: Schema.String,
  key: Schema.String,
  at_ms: Schema.Number,
  /** The request as canonical JSON. */
  request: Schema.String,
  /** The key of the resource that the request made, or its refusal. */
  result: Schema.Union(
    Schema.Struct({ made: Schema.String }),
    Schema.Struct({
      status: Schema.Int,
      code: Schema.String,
      message: Schema.String,
      issues: Schema.optionalWith(Schema.Array(Errors.Issue), { exact: true }),
      details: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), {
        exact: true
      })
    })
  )
})

/** The sums of both sides of a ledger account. */
export const Totals = Schema.Struct({
  account: Ledger.Account,
  debit: Schema.BigDecimal,
  credit: Schema.BigDecimal
})

export const WalletRow = Schema.Struct({ wallet_id: Wallet.WalletId, currency: Currency.Currency })

export const PaymentRow = Schema.Struct({
  ...PaymentIntent.CreatedPaymentIntent.fields,
  reference: PaymentIntent.PaymentIntentReference,
  country: Country.Country,
  operation: OperationKind.Input,
  metadata: Metadata.Metadata,
  created_at: Timestamp.Timestamp,
  updated_at: Timestamp.Timestamp,
  idempotency_key: IdempotencyKey.IdempotencyKey,
  provider_reference: Schema.String
})

export const PayoutRow = Schema.Struct({
  ...Payout.CreatedPayout.fields,
  country: Country.Country,
  destination: Schema.Redacted(Schema.String),
  wallet_id: Wallet.WalletId,
  created_at: Timestamp.Timestamp,
  updated_at: Timestamp.Timestamp,
  provider_reference: Schema.String,
  idempotency_key: IdempotencyKey.IdempotencyKey,
  /** The fee that the wallet pays on top of the amount. */
  fee_amount: Amount.Amount,
  metadata: Metadata.Metadata
})

export const TransactionRow = Schema.Struct({
  ...Transaction.TransactionDetail.fields,
  /** The reference of the payment intent, the payment link, the payout or the refund. */
  source: Schema.String,
  operation: OperationKind.OperationKind,
  fee_amount: Amount.Amount,
  net_amount: Amount.Amount,
  country: Country.Country,
  metadata: Metadata.Metadata
})

export const RefundRow = Schema.Struct({
  ...Refund.Refund.fields,
  provider_reference: Schema.String,
  updated_at: Timestamp.Timestamp,
  /** The collection that is refunded. */
  transaction: Transaction.TransactionReference,
  wallet_id: Wallet.WalletId
})

export const PaymentLinkRow = Schema.Struct({
  ...Struct.omit(PaymentLink.PaymentLink.fields, "checkout_url"),
  reference: PaymentLink.PaymentLinkReference,
  country: Country.Country,
  use_count: Schema.Int,
  metadata: Metadata.Metadata,
  success_url: Schema.NullOr(Schema.String),
  failure_url: Schema.NullOr(Schema.String),
  /** The attempts at the hosted page that paid. */
  attempts: Schema.Array(Schema.String)
})

const CardholderRow = Schema.Struct({
  listed: Cardholder.Cardholder,
  detail: Cardholder.CardholderDetailWire
})

export const CardRow = Schema.Struct({
  ...Card.Card.fields,
  virtual_card_customer_id: Cardholder.CardholderId,
  charged_amount: Amount.Amount,
  charged_currency: Currency.Currency,
  /** The reference of the reservation that paid for the card. */
  reservation: Schema.String
})

export const usedKeyOf = ({ key, operation }: Pick<typeof UsedKey.Type, "operation" | "key">) =>
  `${operation} ${key}`

export const metScenarioOf = ({ key, operation, scenario }: typeof MetScenario.Type) =>
  `${operation} ${scenario} ${key}`

export const ledgerAccountOf = (account: Ledger.Account) =>
  [account.kind, "wallet_id" in account ? account.wallet_id : "", account.currency].join(":")

export type State = ReturnType<typeof make>

export const make = () => ({
  /** How far the clock was advanced, in milliseconds. */
  clock: new Value(Schema.Number.pipe(Schema.finite()), 0),
  generator: new Value(Generator, [0, 0, 0, 1]),
  account: new Value(Account, newAccount),
  tokens: new Table(Token, ({ token }) => token),
  /** The number of events that were ever planned. */
  planned_events: new Value(Schema.NonNegativeInt, 0),
  agenda: new Table(Planned, ({ index }) => String(index)),
  /** The number of faults that were ever added. */
  added_faults: new Value(Schema.NonNegativeInt, 0),
  faults: new Table(Fault, ({ id }) => id),
  met_scenarios: new Table(MetScenario, metScenarioOf),
  idempotency_keys: new Table(UsedKey, usedKeyOf),
  journal: new Table(Ledger.JournalEntry, ({ sequence }) => String(sequence)),
  ledger_accounts: new Table(Totals, ({ account }) => ledgerAccountOf(account)),
  wallets: new Table(WalletRow, ({ wallet_id }) => wallet_id.toLowerCase()),
  payments: new Table(PaymentRow, ({ id }) => id),
  payouts: new Table(PayoutRow, ({ reference }) => reference),
  transactions: new Table(TransactionRow, ({ reference }) => reference),
  refunds: new Table(RefundRow, ({ reference }) => reference),
  payment_links: new Table(PaymentLinkRow, ({ id }) => id),
  cardholders: new Table(CardholderRow, ({ listed }) => listed.id),
  cards: new Table(CardRow, ({ id }) => id)
})

/** The methods of a table without the type of its rows. */
type Part = Pick<Table<unknown>, "all" | "set" | "size" | "watch" | "change"> & {
  readonly schema: Schema.Schema.AnyNoContext
}

const partsOf = (state: State): Readonly<Record<string, Part>> => state

/** The rows of each table. */
type Contents = Readonly<Record<string, ReadonlyArray<unknown>>>

const All: Schema.Schema<Contents> = Schema.Struct(
  Record.map(partsOf(make()), ({ schema }) => Schema.Array(schema))
)

const encodeAll = Schema.encodeSync(All)
const decodeAll = Schema.decodeUnknownEither(All)
const issuesOf = Issues.validator(All, ["state"], { onExcessProperty: "error" })

/** The whole state as JSON. */
export const encode = (state: State): Contents =>
  encodeAll(Record.map(partsOf(state), (part) => part.all()))

/** Reads a state from JSON, or lists the issues of invalid JSON. */
export const decode = (json: unknown): Either.Either<State, ReadonlyArray<Errors.Issue>> => {
  const decoded = decodeAll(json)
  if (Either.isLeft(decoded)) return Either.left(issuesOf(json))
  const state = make()
  const issues = Object.entries(partsOf(state)).flatMap(([name, part]) => {
    const rows = decoded.right[name] ?? []
    for (const row of rows) part.set(row)
    return part.size === rows.length
      ? []
      : [{ field: `state.${name}`, rule: "must not have the same key twice" }]
  })
  return issues.length > 0 ? Either.left(issues) : Either.right(state)
}

/** A changed row in JSON, or `null` for a removed one. */
export const Change = Schema.Tuple(Schema.String, Schema.String, Schema.Unknown)

export type Change = typeof Change.Type

/** The changes that make an empty state this one. */
export const changesTo = (state: State): Array<Change> =>
  Object.entries(encode(state)).flatMap(([name, rows]) =>
    rows.map((row): Change => [name, "", row])
  )

/** Calls a function with each change from now on. */
export const watch = (state: State, onChange: (change: Change) => void): void => {
  for (const [name, part] of Object.entries(partsOf(state))) {
    part.watch((key, json) => onChange([name, key, json]))
  }
}

/** Makes a change. Returns `false` if it is not a change of a state. */
export const change = (state: State, [name, key, json]: Change): boolean =>
  partsOf(state)[name]?.change(key, json) ?? false
