/**
 * The control calls over an emulation.
 */
import * as Issues from "@manilla/core/Issues"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ControlApi from "../../ControlApi.js"
import * as Outcome from "../../Outcome.js"
import type * as Sandbox from "../../Sandbox.js"
import { fromPhone } from "../emulation.js"
import type { Emulation, Restartable } from "../emulation.js"
import * as refusal from "../rules/refusal.js"
import type { Rule } from "../rules/refusal.js"
import type * as accounts from "../service/accounts.js"
import * as snapshots from "../store/snapshots.js"
import type { SandboxClock } from "../time/clock.js"
import * as moment from "../time/moment.js"
import * as errors from "./errors.js"
import * as requests from "./requests.js"

const defaultLimit = 100
const defaultEntries = 1000

/** The sandbox that is reachable at these URLs. */
export const make = (
  { current, reset, restore }: Restartable,
  urls: Pick<Sandbox.Service, "baseUrl" | "authUrl" | "controlUrl">
): Sandbox.Service => {
  const use = <A, E>(effect: (emulation: Emulation) => Effect.Effect<A, E>) =>
    Effect.suspend(() => effect(current()))
  const look = <A>(read: (emulation: Emulation, nowMillis: number) => A) =>
    use((emulation) => emulation.look((nowMillis) => read(emulation, nowMillis)))
  const command = <A>(rule: (emulation: Emulation) => Rule<A>) =>
    Effect.mapError(
      use((emulation) => emulation.apply(rule(emulation))),
      errors.refused
    )
  const withAddresses = ({ clientId, clientSecret }: accounts.Credentials) => ({
    client_id: clientId,
    client_secret: clientSecret,
    base_url: urls.baseUrl,
    auth_url: urls.authUrl
  })
  const exchanges = use(({ exchanges }) => exchanges.latest)
  const idempotency = use(({ profile }) => Effect.sync(profile.get))

  return {
    ...urls,
    health: Effect.succeed({ status: "ready" }),
    reset: ({ seed } = {}) => reset(seed),
    snapshot: look(({ state }, nowMillis) => snapshots.make(state, nowMillis)),
    restore,
    idempotency,
    setIdempotency: (next = {}) =>
      Effect.zipRight(
        use(({ profile }) => Effect.sync(() => profile.set(next))),
        idempotency
      ),
    clock: look((_, nowMillis) => ({ now: moment.fromMillis(nowMillis) })),
    advance: ({ seconds }) => command(({ clock }) => advanced(clock, seconds * 1000)),

    credentials: use(({ accounts }) => Effect.map(accounts.credentials, withAddresses)),
    rotateSecret: use(({ accounts }) => Effect.map(accounts.rotateSecret, withAddresses)),
    revokeTokens: use(({ accounts }) => accounts.revokeTokens),
    setScopes: (scopes) => use(({ accounts }) => accounts.setScopes(scopes)),
    setStanding: (changes) => use(({ accounts }) => accounts.setStanding(changes)),

    paymentIntents: look(({ payments }) => payments.all()),
    payouts: look(({ payouts }) => payouts.all()),
    transactions: look(({ transactions }) => transactions.all()),
    refunds: look(({ refunds }) => refunds.all()),
    paymentLinks: look(({ paymentLinks }) => paymentLinks.all()),
    cardholders: look(({ cardholders }) => cardholders.all()),
    cards: look(({ cards }) => cards.all()),
    resources: ({ key, limit = defaultLimit } = {}) => {
      /** Rows without an idempotency key have no `keyOf`. */
      const latest = <A>(all: ReadonlyArray<A>, keyOf?: (row: A) => string) =>
        (key === undefined ? all : all.filter((row) => keyOf?.(row) === key))
          .slice(-limit)
          .reverse()
      return look((emulation) => ({
        payments: latest(emulation.payments.all(), (one) => one.idempotency_key),
        payouts: latest(emulation.payouts.all(), (one) => one.idempotency_key),
        transactions: latest(emulation.transactions.all()),
        refunds: latest(emulation.refunds.all()),
        payment_links: latest(emulation.paymentLinks.all()),
        cards: latest(emulation.cards.all(), (one) => one.issuance_reference),
        cardholders: latest(emulation.cardholders.all())
      }))
    },

    ledger: look(({ book }) => book.read()),
    statement: ({ limit = defaultEntries } = {}) =>
      look(({ book }) => {
        const { balances, journal } = book.read()
        return { balances, entries: journal.length, journal: journal.slice(-limit) }
      }),
    wallets: look(({ wallets }) => wallets.all()),
    settlePayment: ({ id, status = "COMPLETED" }) =>
      Effect.flatten(
        look(({ payments }, nowMillis) =>
          settled(
            payments.settle(id, status, nowMillis),
            payments.all().find((one) => one.id === id.toLowerCase()),
            { field: "path.id", rule: "must name a payment intent that" }
          )
        )
      ),
    settlePayout: ({ reference, status = "COMPLETED" }) =>
      Effect.flatten(
        look(({ payouts }, nowMillis) =>
          settled(
            payouts.settle(reference, status, nowMillis),
            payouts.all().find((one) => one.reference === reference),
            { field: "path.reference", rule: "must name a payout that" }
          )
        )
      ),
    refund: ({ transaction, ...options }) =>
      command(({ refunds }) => refunds.create(transaction, options)),
    payLink: ({ id, phone_number = "" }) =>
      Effect.mapError(
        command((emulation) => fromPhone(emulation, phone_number, emulation.paymentLinks.pay(id))),
        (error) =>
          error.code === "NOT_FOUND"
            ? errors.notFound("path.id", "must be the id of a payment link")
            : error
      ),

    exchanges,
    requests: ({ bodies = false, limit = defaultLimit } = {}) =>
      Effect.map(exchanges, (all) =>
        all
          .slice(-limit)
          .reverse()
          .map((exchange) => requests.toRequest(exchange, bodies))
      ),
    request: ({ index }) =>
      Effect.flatMap(exchanges, (all) => {
        const found = all.find((one) => one.index === index)
        return found === undefined
          ? errors.notFound("path.index", "must be the index of a request that the sandbox keeps")
          : Effect.succeed(requests.toRequest(found, true))
      }),
    liveRequests: requests.live(() => current().exchanges),

    faults: {
      pending: use(({ faults }) => faults.pending),
      add: (rule) =>
        use(({ faults }) =>
          Effect.gen(function* () {
            const issues = issuesOfFault(rule)
            if (issues.length > 0) {
              return yield* errors.invalid("INVALID_FAULT", "The fault is invalid.", issues)
            }
            if ((yield* faults.pending).length >= ControlApi.maxFaults) return yield* tooManyFaults
            return yield* faults.add(rule)
          })
        ),
      remove: ({ id }) =>
        use(({ faults }) =>
          Effect.flatMap(faults.remove(id), (wasPending) =>
            wasPending
              ? Effect.void
              : errors.notFound("path.id", "must be the id of a pending fault")
          )
        ),
      clear: use(({ faults }) => faults.clear),
      outcomes: Effect.succeed(
        Outcome.outcomes.map((one) => ({
          name: one.name,
          summary: one.summary,
          operations: one.operations ?? null,
          phone_number: Outcome.phoneNumber(one),
          amount: Outcome.amount(one),
          once_per_key: Outcome.isOncePerKey(one)
        }))
      )
    }
  }
}

/** The resource after its settlement. */
const settled = <A>(
  wasPending: boolean,
  found: A | undefined,
  { field, rule }: { readonly field: string; readonly rule: string }
): Effect.Effect<A, ControlApi.ControlError> => {
  if (found === undefined) return errors.notFound(field, `${rule} exists`)
  return wasPending
    ? Effect.succeed(found)
    : errors.invalid("NOT_PENDING", "The resource is not PENDING.", [
        { field, rule: `${rule} is PENDING` }
      ])
}

/** The largest sum of advances: timestamps have years of four digits. */
const maxAdvanceMillis = Duration.toMillis(Duration.days(36_525))

const advanced =
  (clock: SandboxClock, millis: number): Rule<typeof ControlApi.Clock.Type> =>
  (nowMillis) => {
    if (clock.advancedMillis() + millis > maxAdvanceMillis) return Either.left(tooFar)
    clock.advance(millis)
    return Either.right({ now: moment.fromMillis(nowMillis + millis) })
  }

const tooFar = refusal.other(
  "CLOCK_TOO_FAR",
  "The clock cannot be advanced by more than 100 years.",
  [{ field: "seconds", rule: "must keep the sum of all advances within 100 years" }]
)

const issuesOfFault = Issues.validator(Schema.typeSchema(Outcome.FaultRule), [])

const tooManyFaults = errors.invalid("TOO_MANY_FAULTS", "Too many faults are pending.", [
  { field: "request", rule: `must not add to ${ControlApi.maxFaults} pending faults` }
])
