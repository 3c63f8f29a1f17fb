/**
 * Payment links and their payments (interface sections 2.4 and 4.8 to 4.10).
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import type { Metadata } from "@manilla/core/Metadata"
import type { Page } from "@manilla/core/Page"
import * as Timestamp from "@manilla/core/Timestamp"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type { PaymentLinkFilter } from "@manilla/payment-links/PaymentLinksApi"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import type { StoredTransaction } from "../Sandbox.js"
import type { Agenda } from "./agenda.js"
import type { Collected, Collections } from "./collections.js"
import type { Identifiers } from "./identifiers.js"
import * as moment from "./moment.js"
import * as money from "./money.js"
import * as pages from "./pages.js"
import * as refusal from "./refusal.js"
import type { Rule } from "./rule.js"

export interface Options {
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
  readonly create: (request: PaymentLink.PaymentLinkRequest) => Rule<PaymentLink.PaymentLink>
  readonly list: (filter: PaymentLinkFilter, page: number) => Rule<Page<PaymentLink.PaymentLink>>
  readonly get: (id: PaymentLink.PaymentLinkId) => Rule<PaymentLink.PaymentLinkDetail>
  readonly all: () => ReadonlyArray<PaymentLink.PaymentLink>
  readonly hosted: (reference: string) => Hosted | undefined
  /** Simulates a payer at the hosted page. An attempt that is repeated pays once. */
  readonly pay: (id: PaymentLink.PaymentLinkId, attempt?: string) => Rule<StoredTransaction>
}

interface Stored {
  readonly metadata: Metadata
  readonly movement: Omit<Collected, "provider_reference">
  readonly maxUses: number
  readonly returnUrls: Pick<Hosted, "success_url" | "failure_url">
  /** The transactions of attempts. */
  readonly attempts: Map<string, StoredTransaction>
  useCount: number
  current: PaymentLink.PaymentLink
}

export const make = ({ agenda, checkoutUrl, collections, identifiers }: Options): PaymentLinks => {
  const byId = new Map<string, Stored>()

  const add = (
    request: PaymentLink.PaymentLinkRequest,
    expires_at: Timestamp.Timestamp | null,
    nowMillis: number
  ): Stored => {
    const reference = PaymentLink.PaymentLinkReference.make(identifiers.reference("LNK"))
    const echoed = {
      amount: money.fixed(request.amount),
      currency: Currency.Currency.make(request.currency),
      country: Country.Country.make(request.country)
    }
    const metadata = request.metadata ?? {}
    const stored: Stored = {
      metadata,
      movement: { ...echoed, operation: "COLLECTION", source: reference, metadata },
      maxUses: request.max_uses ?? Infinity,
      returnUrls: { success_url: request.success_url, failure_url: request.failure_url },
      attempts: new Map(),
      useCount: 0,
      current: {
        ...echoed,
        id: PaymentLink.PaymentLinkId.make(identifiers.uuid()),
        reference,
        description: request.description ?? null,
        status: "ACTIVE",
        max_uses: request.max_uses ?? null,
        use_count: 0,
        checkout_url: checkoutUrl(reference),
        expires_at,
        created_at: moment.fromMillis(nowMillis)
      }
    }
    byId.set(stored.current.id, stored)
    return stored
  }

  const create: PaymentLinks["create"] = (request) => (nowMillis) => {
    if (request.expires_at === undefined) return Either.right(add(request, null, nowMillis).current)
    const expires_at = moment.fromInput(request.expires_at)
    const expiresMicros = Timestamp.toEpochMicros(expires_at)
    if (expiresMicros <= BigInt(nowMillis) * 1000n) return Either.left(notInTheFuture)
    const stored = add(request, expires_at, nowMillis)
    agenda.plan(Number((expiresMicros + 999n) / 1000n), () => {
      if (stored.current.status === "ACTIVE") {
        stored.current = { ...stored.current, status: "EXPIRED" }
      }
    })
    return Either.right(stored.current)
  }

  const pay = (stored: Stored, attempt: string | undefined, nowMillis: number) => {
    const { attempts, current, maxUses, movement } = stored
    const paid = attempt === undefined ? undefined : attempts.get(attempt)
    if (paid !== undefined) return Either.right(paid)
    if (current.status !== "ACTIVE") return Either.left(notActive(current.status))
    const provider_reference = identifiers.reference("PRV")
    return Either.map(
      collections.collect(nowMillis, { ...movement, provider_reference }),
      (transaction) => {
        stored.useCount++
        if (attempt !== undefined) attempts.set(attempt, transaction)
        stored.current = {
          ...current,
          use_count: stored.useCount,
          status: stored.useCount < maxUses ? "ACTIVE" : "INACTIVE"
        }
        return transaction
      }
    )
  }

  const all = () => Array.from(byId.values(), ({ current }) => current)

  return {
    create,
    list:
      ({ per_page, status }, page) =>
      () => {
        const matching = all().filter((link) => status === undefined || link.status === status)
        return Either.right(pages.select(matching, { page, per_page }))
      },
    get: (id) => () => {
      const stored = byId.get(id.toLowerCase())
      return stored === undefined
        ? Either.left(unknown)
        : Either.right({ ...Struct.omit(stored.current, "created_at"), metadata: stored.metadata })
    },
    all,
    hosted: (reference) => {
      const stored = Array.from(byId.values()).find((one) => one.current.reference === reference)
      return (
        stored && {
          ...stored.returnUrls,
          link: stored.current,
          isPaidBy: (attempt) => stored.attempts.has(attempt)
        }
      )
    },
    pay: (id, attempt) => (nowMillis) => {
      const stored = byId.get(id.toLowerCase())
      return stored === undefined ? Either.left(unknown) : pay(stored, attempt, nowMillis)
    }
  }
}

const unknown = refusal.notFound("NOT_FOUND", "The payment link does not exist.")

const notInTheFuture = refusal.business(
  "EXPIRES_IN_THE_PAST",
  "The payment link would already be expired.",
  "expires_at",
  "must be in the future"
)

const notActive = (status: PaymentLink.Status) =>
  refusal.unprocessable("LINK_NOT_ACTIVE", `The payment link is ${status} and cannot be paid.`)
