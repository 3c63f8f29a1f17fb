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
import * as money from "../money/amounts.js"
import type { Collections } from "../money/collections.js"
import type { Identifiers } from "../rules/identifiers.js"
import * as pages from "../rules/pages.js"
import type { Rule } from "../rules/refusal.js"
import * as refusal from "../rules/refusal.js"
import * as table from "../store/table.js"
import type { Agenda } from "../time/agenda.js"
import * as moment from "../time/moment.js"

const Row = Schema.Struct({
  ...Struct.omit(PaymentLink.PaymentLink.fields, "checkout_url"),
  reference: PaymentLink.PaymentLinkReference,
  country: Country.Country,
  use_count: Schema.Int,
  metadata: Metadata.Metadata,
  success_url: Schema.optional(Schema.String),
  failure_url: Schema.optional(Schema.String),
  /** The attempts at the hosted page that paid. */
  attempts: Schema.Array(Schema.String)
})

export type Row = typeof Row.Type

export const declared = table.table(Row, ({ id }) => id)

/** The path of the hosted page of a payment link. */
export const checkoutPath = (reference: string) => `/checkout/${reference}` as const

export interface Options {
  readonly rows: table.Table<Row>
  readonly identifiers: Identifiers
  readonly agenda: Agenda
  readonly collections: Collections
  /** The address of the hosted page of a link. */
  readonly checkoutUrl: (reference: string) => string
}

/** A link as its hosted page needs it. */
export interface Hosted {
  readonly link: PaymentLink.PaymentLink
  readonly success_url: string | undefined
  readonly failure_url: string | undefined
  readonly isPaidBy: (attempt: string) => boolean
}

export interface PaymentLinks {
  readonly create: (
    request: PaymentLink.PaymentLinkRequest,
    outcome: Outcome | undefined
  ) => Rule<PaymentLink.PaymentLink>
  readonly list: (filter: PaymentLinkFilter, page: number) => Rule<Page<PaymentLink.PaymentLink>>
  readonly get: (id: PaymentLink.PaymentLinkId) => Rule<PaymentLink.PaymentLinkDetail>
  readonly all: () => ReadonlyArray<PaymentLink.PaymentLink>
  readonly hosted: (reference: string) => Hosted | undefined
  /** Simulates a payer at the hosted page. */
  readonly pay: (id: PaymentLink.PaymentLinkId) => Rule<StoredTransaction>
  /** Pays at the hosted page. An attempt that is repeated pays once. */
  readonly attempt: (id: PaymentLink.PaymentLinkId, attempt: string) => Rule<void>
}

export const make = (options: Options): PaymentLinks => {
  const { agenda, checkoutUrl, collections, identifiers, rows } = options

  const toDetail = (row: Row) => ({
    ...Struct.omit(row, "created_at", "success_url", "failure_url", "attempts"),
    checkout_url: checkoutUrl(row.reference)
  })
  const toLink = (row: Row): PaymentLink.PaymentLink => ({
    ...Struct.omit(toDetail(row), "metadata"),
    created_at: row.created_at
  })

  const add = (
    request: PaymentLink.PaymentLinkRequest,
    expires_at: Timestamp.Timestamp | null,
    nowMillis: number
  ): Row => {
    const reference = PaymentLink.PaymentLinkReference.make(identifiers.reference("LNK"))
    const row: Row = {
      id: PaymentLink.makeId(identifiers.uuid()),
      reference,
      amount: money.fixed(request.amount),
      currency: Currency.Currency.make(request.currency),
      country: Country.Country.make(request.country),
      description: request.description ?? null,
      status: "ACTIVE",
      max_uses: request.max_uses ?? null,
      use_count: 0,
      expires_at,
      created_at: moment.fromMillis(nowMillis),
      metadata: request.metadata ?? {},
      success_url: request.success_url,
      failure_url: request.failure_url,
      attempts: []
    }
    rows.set(row)
    return row
  }

  agenda.on("link", (id, status) => {
    const row = rows.get(id)
    if (row?.status === "ACTIVE") rows.set({ ...row, status })
  })

  const create: PaymentLinks["create"] = (request, outcome) => (nowMillis) =>
    Either.gen(function* () {
      yield* outcomes.check(outcome)
      const expires_at =
        request.expires_at === undefined ? null : moment.fromInput(request.expires_at)
      const expiresMicros = expires_at === null ? undefined : Timestamp.toEpochMicros(expires_at)
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
    })

  const pay = (row: Row, attempts: ReadonlyArray<string>, nowMillis: number) => {
    const { amount, country, currency, max_uses, metadata, reference, status } = row
    if (status !== "ACTIVE") return Either.left(notActive(status))
    const collected = collections.collect(nowMillis, {
      source: reference,
      operation: "COLLECTION",
      amount,
      currency,
      country,
      provider_reference: identifiers.reference("PRV"),
      metadata
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

  const find = (id: string): Either.Either<Row, refusal.Refusal> =>
    Either.fromNullable(rows.get(id.toLowerCase()), () => unknown)

  const all = () => rows.all().map(toLink)

  return {
    create,
    list:
      ({ per_page, status }, page) =>
      () => {
        const matching = all().filter((link) => status === undefined || link.status === status)
        return Either.right(pages.select(matching, { page, per_page }))
      },
    get: (id) => () => Either.map(find(id), toDetail),
    all,
    hosted: (reference) => {
      const row = rows.all().find((link) => link.reference === reference)
      return (
        row && {
          link: toLink(row),
          success_url: row.success_url,
          failure_url: row.failure_url,
          isPaidBy: (attempt) => row.attempts.includes(attempt)
        }
      )
    },
    pay: (id) => (nowMillis) => Either.flatMap(find(id), (row) => pay(row, [], nowMillis)),
    attempt: (id, attempt) => (nowMillis) =>
      Either.flatMap(find(id), (row) =>
        row.attempts.includes(attempt)
          ? Either.void
          : Either.map(pay(row, [attempt], nowMillis), () => {})
      )
  }
}

const unknown = refusal.notFound("The payment link does not exist.")

const notInTheFuture = refusal.business(
  "EXPIRES_IN_THE_PAST",
  "expires_at",
  "must be in the future"
)

const notActive = (status: PaymentLink.Status) =>
  refusal.other("LINK_NOT_ACTIVE", `The payment link is ${status} and cannot be paid.`)
