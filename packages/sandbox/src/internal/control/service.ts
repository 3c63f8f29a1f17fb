/**
 * The control calls over an emulation.
 */
import * as Issues from "@manilla/core/Issues"
import * as Array from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ControlApi from "../../ControlApi.js"
import type { Exchange } from "../../Exchange.js"
import * as Scenario from "../../Scenario.js"
import type * as Sandbox from "../../Sandbox.js"
import type { Emulation, Restartable } from "../emulation.js"
import type * as exchangeLog from "../http/exchangeLog.js"
import * as idempotency from "../rules/idempotency.js"
import * as refusal from "../rules/refusal.js"
import * as states from "../store/state.js"
import * as moment from "../time/moment.js"

const defaultLimit = 100

/** The sandbox that is reachable at these URLs. */
export const make = (
  { current, reset, restore }: Restartable,
  urls: Pick<Sandbox.Service, "baseUrl" | "authUrl">
): Sandbox.Service => {
  /** Reads or changes the state now, after all due events. */
  const look = <A>(read: (emulation: Emulation, nowMillis: number) => A): Effect.Effect<A> =>
    Effect.suspend(() => {
      const emulation = current()
      return emulation.look((nowMillis) => read(emulation, nowMillis))
    })
  const decide = <A>(
    rule: (emulation: Emulation, nowMillis: number) => Either.Either<A, refusal.Refusal>
  ): Effect.Effect<A, ControlApi.ControlError> => Effect.flatMap(look(rule), orError)
  const withAddresses = (credentials: ReturnType<Emulation["accounts"]["credentials"]>) => ({
    ...credentials,
    base_url: urls.baseUrl,
    auth_url: urls.authUrl
  })
  const exchanges = Effect.suspend(() => current().exchanges.latest)

  return {
    ...urls,
    health: Effect.succeed({ status: "ready" }),
    reset: ({ seed } = {}) => reset(seed),
    snapshot: look(({ state }, nowMillis) => ({
      format: "manilla-sandbox",
      version: states.version,
      now_ms: nowMillis,
      state: states.encode(state)
    })),
    restore: (snapshot) => Effect.mapError(restore(snapshot), errorOf),
    idempotency: look(({ profile }) => profile.current),
    setIdempotency: (next) =>
      look(({ profile }) => {
        profile.current = { ...idempotency.defaults, ...next }
        return profile.current
      }),
    clock: look((_, nowMillis) => ({ now: moment.fromMillis(nowMillis) })),
    advance: ({ seconds }) =>
      decide(({ state }, nowMillis) => {
        const advanced = state.clock.current() + seconds * 1000
        if (advanced > maxAdvanceMillis) {
          return refusal.because("CLOCK_TOO_FAR", "seconds", "must keep the sum within 100 years")
        }
        state.clock.set(advanced)
        return Either.right({ now: moment.fromMillis(nowMillis + seconds * 1000) })
      }),

    credentials: look(({ accounts }) => withAddresses(accounts.credentials())),
    rotateSecret: look(({ accounts }) => withAddresses(accounts.rotateSecret())),
    revokeTokens: look(({ accounts }) => accounts.revokeTokens()),
    setScopes: (scopes) => look(({ accounts }) => accounts.setScopes(scopes)),
    setStanding: (changes) => look(({ accounts }) => accounts.setStanding(changes)),

    paymentIntents: look(({ state }) => state.payments.all()),
    payouts: look(({ state }) => state.payouts.all()),
    transactions: look(({ state }) => state.transactions.all()),
    refunds: look(({ state }) => state.refunds.all()),
    paymentLinks: look(({ paymentLinks }) => paymentLinks.all()),
    cardholders: look(({ cardholders }) => cardholders.all()),
    cards: look(({ state }) => state.cards.all()),
    resources: ({ key, limit = defaultLimit } = {}) => {
      const latest = <A extends object>(all: ReadonlyArray<A>) =>
        (key === undefined ? all : all.filter((row) => keyOf(row) === key)).slice(-limit).reverse()
      return look(({ cardholders, paymentLinks, state }) => ({
        payments: latest(state.payments.all()),
        payouts: latest(state.payouts.all()),
        transactions: latest(state.transactions.all()),
        refunds: latest(state.refunds.all()),
        payment_links: latest(paymentLinks.all()),
        cards: latest(state.cards.all()),
        cardholders: latest(cardholders.all())
      }))
    },

    ledger: look(({ book }) => book.read()),
    statement: ({ limit = 1000 } = {}) =>
      look(({ book }) => {
        const { balances, journal } = book.read()
        return { balances, entries: journal.length, journal: journal.slice(-limit) }
      }),
    wallets: look(({ wallets }) => wallets.all()),
    settle: ({ resource, status = "COMPLETED" }) =>
      decide(({ settlements }, nowMillis) => {
        const settled = Array.findFirst(settlements, (settle) =>
          Option.fromNullable(settle(resource, status, nowMillis))
        )
        const message = "Nothing that settles has this id or reference."
        return Option.getOrElse(settled, () => Either.left(refusal.notFound(message)))
      }),
    refund: (request) => decide(({ refunds }, nowMillis) => refunds.create(request, nowMillis)),
    payLink: ({ id, phone_number = "" }) =>
      decide(({ paymentLinks }, nowMillis) => paymentLinks.pay(id, phone_number, nowMillis)),

    exchanges,
    requests: ({ bodies = false, limit = defaultLimit } = {}) =>
      Effect.map(exchanges, (all) =>
        all
          .slice(-limit)
          .reverse()
          .map((exchange) => toJson(exchange, bodies))
      ),
    request: ({ index }) =>
      Effect.flatMap(exchanges, (all) => {
        const found = all.find((one) => one.index === index)
        return orError(refusal.found("request", found && toJson(found, true)))
      }),
    liveRequests: live(() => current().exchanges),

    faults: {
      pending: look(({ faults }) => faults.pending()),
      add: (rule) =>
        decide(({ faults }) => {
          const issues = issuesOfFault(rule)
          if (issues.length > 0) {
            return Either.left(refusal.of("INVALID_FAULT", { issues }))
          }
          return faults.pending().length >= ControlApi.maxFaults
            ? Either.left(refusal.of("TOO_MANY_FAULTS"))
            : Either.right(faults.add(rule))
        }),
      remove: ({ id }) =>
        decide(({ faults }) =>
          faults.remove(id)
            ? Either.void
            : Either.left(refusal.notFound("The fault does not exist."))
        ),
      clear: look(({ faults }) => faults.clear()),
      scenarios: Effect.succeed(
        Scenario.scenarios.map((one) => ({
          name: one.name,
          summary: one.summary,
          operations: one.operations ?? null,
          phone_number: Scenario.phoneNumber(one),
          amount: Scenario.amount(one),
          once_per_key: Scenario.isOncePerKey(one)
        }))
      )
    }
  }
}

export const errorOf = ({ code, issues = [], message, status }: refusal.Refusal) =>
  new ControlApi.ControlError({ status: statusOf(status), code, message, issues })

/** A refusal of another status is of a business rule. */
const statusOf = (status: number) =>
  status === 403 || status === 404 || status === 500 ? status : 422

const orError = Either.mapLeft(errorOf)

/** The largest sum of advances: timestamps have years of four digits. */
const maxAdvanceMillis = Duration.toMillis(Duration.days(36_525))

const issuesOfFault = Issues.validator(Schema.typeSchema(Scenario.FaultRule), [])

/** The members of rows that hold the key with which they were made. */
const keyMembers = ["idempotency_key", "issuance_reference"]

const keyOf = (row: object): unknown =>
  Object.entries(row).find(([name]) => keyMembers.includes(name))?.[1]

const toJson = (exchange: Exchange, withBody: boolean): ControlApi.Exchange => {
  const { atMillis, ending, fault, index, key, method, operation, path, replay, tookMillis } =
    exchange
  const bytes = Redacted.value(exchange.body)
  const answer = exchange.response && Redacted.value(exchange.response)
  const { error, id, reference } = dataOf(answer)
  return {
    index,
    at: moment.fromMillis(atMillis),
    method,
    path,
    operation: operation ?? null,
    key: key ?? null,
    ending: typeof ending === "number" ? "answered" : ending,
    status: typeof ending === "number" ? ending : null,
    took_ms: tookMillis ?? null,
    replay,
    fault: fault?.name ?? null,
    reached_service: fault?.answersInstead !== true,
    correlation_id: exchange.correlationId,
    error: error ?? null,
    reference: reference ?? id ?? null,
    warnings: exchange.warnings,
    body_bytes: bytes.length,
    body: withBody ? textOf(bytes) : null,
    response_bytes: answer?.length ?? 0,
    response: withBody && answer ? textOf(answer) : null
  }
}

const Answer = Schema.Struct({
  data: Schema.Struct({
    error: Schema.optional(ControlApi.Exchange.fields.error),
    reference: Schema.optional(Schema.String),
    id: Schema.optional(Schema.String)
  })
})

const decodeAnswer = Schema.decodeOption(Schema.parseJson(Answer))

/** The parts of a response by which it is found. A fault can send anything. */
const dataOf = (answer: Uint8Array = new Uint8Array()): Partial<typeof Answer.Type.data> =>
  answer.length > ControlApi.maxBodyLength
    ? {}
    : Option.match(decodeAnswer(new TextDecoder().decode(answer)), {
        onNone: () => ({}),
        onSome: ({ data }) => data
      })

/** In JSON or in a form, also of a request that the service refuses. */
const secrets = /(access_token|client_secret|otp_code)("\s*:\s*|=)("(?:[^"\\]|\\.)*"?|[^\s,}&]*)/g

/** A character has at most 4 bytes, so the rest need not be decoded. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, 4 * ControlApi.maxBodyLength))
    .slice(0, ControlApi.maxBodyLength)
    .replace(secrets, `$1$2"***"`)

/** Reads the log and keeps no queue, so a slow reader gets fewer and larger elements. */
const live = (current: () => exchangeLog.Log): Stream.Stream<ControlApi.LiveRequests> =>
  Stream.suspend(() => {
    let log: exchangeLog.Log | undefined
    let version = 0
    const read = Effect.sync((): Option.Option<ControlApi.LiveRequests> => {
      const reset = log !== current()
      log = current()
      const known = reset ? 0 : version
      version = log.version()
      const requests = log.changedAfter(known).map((one) => toJson(one, false))
      return reset || requests.length > 0 ? Option.some({ reset, requests }) : Option.none()
    })
    return Stream.repeatEffectWithSchedule(read, Schedule.spaced("100 millis")).pipe(
      Stream.filterMap((read) => read)
    )
  })
