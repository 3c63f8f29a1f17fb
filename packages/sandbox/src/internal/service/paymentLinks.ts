/**
 * Payment links and their payments (interface sections 2.4 and 4.8 to 4.10).
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Metadata from "@manilla/core/Metadata"
import type { Page } from "@manilla/core/Page"
import * as Timestamp from "@manilla/core/Timestamp"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type { PaymentLinkFilter } from "@manilla/payment-links/PaymentLinksApi"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Outcome } from "../../Outcome.js"
import type { StoredTransaction } from "../../Sandbox.js"
import * as outcomes from "../faults/outcomes.js"
import * as amounts from "../money/amounts.js"
import * as pages from "../rules/pages.js"
import type { Rule } from "../rules/refusal.js"
import * as refusal from "../rules/refusal.js"
import * as table from "../store/table.js"
import * as moment from "../time/moment.js"
import type { Core } from "./core.js"

const Row = Schema.Struct({
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

type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

/** A link as its hosted page needs it. */
export interface Hosted extends Row {
  readonly checkout_url: string
}

/** The path of the hosted page of a link. */
export const checkoutPath = (reference: string) => `/checkout/${reference}` as const

/** `checkoutUrl` is the address of the hosted page of a link. */
export const make = (
  { agenda, identifiers, transactions }: Core,
  rows: table.Table<Row>,
  checkoutUrl: (reference: string) => string
) => {
  const toLink = (row: Row): Hosted => ({ ...row, checkout_url: checkoutUrl(row.reference) })

  const add = (
    request: PaymentLink.PaymentLinkRequest,
    expires_at: Timestamp.Timestamp | null,
    nowMillis: number
  ): Row => {
    const reference = PaymentLink.PaymentLinkReference.make(identifiers.reference("LNK"))
    const row: Row = {
      id: PaymentLink.makeId(identifiers.uuid()),
      reference,
      amount: amounts.fixed(request.amount),
      currency: Currency.Currency.make(request.currency),
      country: Country.Country.make(request.country),
      description: request.description ?? null,
      status: "ACTIVE",
      max_uses: request.max_uses ?? null,
      use_count: 0,
      expires_at,
      created_at: moment.fromMillis(nowMillis),
      metadata: request.metadata ?? {},
      success_url: request.success_url ?? null,
      failure_url: request.failure_url ?? null,
      attempts: []
    }
    rows.set(row)
    return row
  }

  agenda.on("link", (id, status) => {
    const row = rows.get(id)
    if (row?.status === "ACTIVE") rows.set({ ...row, status })
  })

  const pay = (row: Row, attempts: ReadonlyArray<string>, nowMillis: number) => {
    const { max_uses, reference, status } = row
    if (status !== "ACTIVE") return Either.left(notActive(status))
    const collected = transactions.collect(nowMillis, {
      ...row,
      source: reference,
      operation: "COLLECTION",
      provider_reference: identifiers.reference("PRV")
    })
    return Either.map(collected, (transaction) => {
      const use_count = row.use_count + 1
      rows.set({
        ...row,
        use_count,
        attempts: [...row.attempts, ...attempts],
        status: use_count < (max_uses ?? Infinity) ? "ACTIVE" : "INACTIVE"
      })
      return transaction
    })
  }

  const find = (id: string) => refusal.found("payment link", rows.get(id.toLowerCase()))

  const all = () => rows.all().map(toLink)

  return {
    create:
      (
        request: PaymentLink.PaymentLinkRequest,
        outcome: Outcome | undefined
      ): Rule<PaymentLink.PaymentLink> =>
      (nowMillis) =>
        Either.gen(function* () {
          yield* outcomes.check(outcome)
          const expires_at =
            request.expires_at === undefined ? null : moment.fromInput(request.expires_at)
          const expiresMicros =
            expires_at === null ? undefined : Timestamp.toEpochMicros(expires_at)
          if (expiresMicros !== undefined && expiresMicros <= BigInt(nowMillis) * 1000n) {
            return yield* Either.left(notInTheFuture)
          }
          const row = add(request, expires_at, nowMillis)
          const event = { kind: "link", key: row.id } as const
          if (expiresMicros !== undefined) {
            const at_ms = Number((expiresMicros + 999n) / 1000n)
            agenda.plan({ ...event, at_ms, status: "EXPIRED" })
          }
          if (outcome?.effect._tag === "LinkBecomes") {
            agenda.plan({ ...event, at_ms: nowMillis, status: outcome.effect.status })
          }
          return toLink(row)
        }),
    list: (
      { per_page, status }: PaymentLinkFilter,
      page: number
    ): Rule<Page<PaymentLink.PaymentLink>> =>
      pages.rule(page, per_page, () =>
        all().filter((link) => status === undefined || link.status === status)
      ),
    get:
      (id: string): Rule<PaymentLink.PaymentLinkDetail> =>
      () =>
        Either.map(find(id), toLink),
    all,
    hosted: (reference: string) => all().find((link) => link.reference === reference),
    /** Simulates a payer at the hosted page. */
    pay:
      (id: string): Rule<StoredTransaction> =>
      (nowMillis) =>
        Either.flatMap(find(id), (row) => pay(row, [], nowMillis)),
    /** Pays at the hosted page. An attempt that is repeated pays once. */
    attempt:
      (id: string, attempt: string): Rule<void> =>
      (nowMillis) =>
        Either.flatMap(find(id), (row) =>
          row.attempts.includes(attempt)
            ? Either.void
            : Either.map(pay(row, [attempt], nowMillis), () => {})
        )
  }
}

const notInTheFuture = refusal.business(
  "EXPIRES_IN_THE_PAST",
  "expires_at",
  "must be in the future"
)

const notActive = (status: PaymentLink.Status) =>
  refusal.other("LINK_NOT_ACTIVE", `The payment link is ${status} and cannot be paid.`)
