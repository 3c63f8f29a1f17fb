/**
 * Payment links and their payments (interface sections 2.4 and 4.8 to 4.10).
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Timestamp from "@manilla/core/Timestamp"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as Either from "effect/Either"
import * as scenarios from "../faults/scenarios.js"
import * as amounts from "../money/amounts.js"
import * as pages from "../rules/pages.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Core, Handlers } from "./core.js"
import type { Transactions } from "./transactions.js"

type Row = typeof state.PaymentLinkRow.Type

/** A link as its hosted page needs it. */
export interface Hosted extends Row {
  readonly checkout_url: string
}

/** The path of the hosted page of a link. */
export const checkoutPath = (reference: string) => `/checkout/${reference}` as const

/** The hosted pages are at this origin. */
export const make = (
  { agenda, identifiers, state }: Core,
  transactions: Transactions,
  { ofPhone }: scenarios.Scenarios,
  origin: () => string
) => {
  const rows = state.payment_links
  const toLink = (row: Row): Hosted => ({
    ...row,
    checkout_url: origin() + checkoutPath(row.reference)
  })

  agenda.on("link", (id, status) => {
    const row = rows.get(id)
    if (row?.status === "ACTIVE") rows.set({ ...row, status })
  })

  const collect = (row: Row, attempts: ReadonlyArray<string>, nowMillis: number) => {
    const { max_uses, reference, status } = row
    if (status !== "ACTIVE") {
      const message = `The payment link is ${status} and cannot be paid.`
      return Either.left(refusal.of("LINK_NOT_ACTIVE", { message }))
    }
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

  /** A magic phone number may refuse the payment. */
  const findFor = (phoneNumber: string, id: string) =>
    Either.gen(function* () {
      const found = yield* ofPhone(phoneNumber, "Payments.create")
      yield* scenarios.check(found?.effect)
      return yield* find(id)
    })

  const all = () => rows.all().map(toLink)

  const handlers: Handlers<"PaymentLinks.create" | "PaymentLinks.list" | "PaymentLinks.get"> = {
    "PaymentLinks.create": ({ payload }, { behaviour, nowMillis }) =>
      Either.gen(function* () {
        yield* scenarios.check(behaviour)
        const expires_at =
          payload.expires_at === undefined ? null : moment.fromInput(payload.expires_at)
        const expiresMicros = expires_at === null ? undefined : Timestamp.toEpochMicros(expires_at)
        if (expiresMicros !== undefined && expiresMicros <= BigInt(nowMillis) * 1000n) {
          const rule = "must be in the future"
          return yield* refusal.because("EXPIRES_IN_THE_PAST", "expires_at", rule)
        }
        const reference = PaymentLink.PaymentLinkReference.make(identifiers.reference("LNK"))
        const row: Row = {
          id: PaymentLink.makeId(identifiers.uuid()),
          reference,
          amount: amounts.fixed(payload.amount),
          currency: Currency.Currency.make(payload.currency),
          country: Country.Country.make(payload.country),
          description: payload.description ?? null,
          status: "ACTIVE",
          max_uses: payload.max_uses ?? null,
          use_count: 0,
          expires_at,
          created_at: moment.fromMillis(nowMillis),
          metadata: payload.metadata ?? {},
          success_url: payload.success_url ?? null,
          failure_url: payload.failure_url ?? null,
          attempts: []
        }
        rows.set(row)
        const event = { kind: "link", key: row.id } as const
        if (expiresMicros !== undefined) {
          const at_ms = Number((expiresMicros + 999n) / 1000n)
          agenda.plan({ ...event, at_ms, status: "EXPIRED" })
        }
        if (behaviour?._tag === "Becomes") {
          agenda.plan({ ...event, at_ms: nowMillis, status: behaviour.status })
        }
        return toLink(row)
      }),
    "PaymentLinks.list": ({ urlParams: { per_page, status } }, { search }) =>
      pages.select(
        all().filter((link) => status === undefined || link.status === status),
        search,
        per_page
      ),
    "PaymentLinks.get": ({ path }) => Either.map(find(path.paymentLink), toLink)
  }

  return {
    handlers,
    all,
    hosted: (reference: string) => all().find((link) => link.reference === reference),
    /** Simulates a payer at the hosted page. */
    pay: (id: string, phoneNumber: string, nowMillis: number) =>
      Either.flatMap(findFor(phoneNumber, id), (row) => collect(row, [], nowMillis)),
    /** Pays at the hosted page. An attempt that is repeated pays once. */
    attempt: (id: string, phoneNumber: string, attempt: string, nowMillis: number) =>
      Either.gen(function* () {
        const row = yield* findFor(phoneNumber, id)
        if (!row.attempts.includes(attempt)) yield* collect(row, [attempt], nowMillis)
      })
  }
}
