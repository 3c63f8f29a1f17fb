/** Learns from requests to a sandbox how the service behaves where the interface does not say it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { type Failure, failed } from "../failure.js"
import * as fields from "../fields.js"
import * as wire from "./wire.js"

/** A line of the profile, and the observation behind it. The value is absent if nothing was learned. */
export interface Finding {
  /** Such as `page.parameter`. */
  readonly path: string
  readonly evidence: string
  readonly value?: unknown
}

/** The means of the probe. */
export interface Means {
  readonly send: wire.Send
  /** Makes each run's keys new. */
  readonly run: string
  /** The body of a good `POST /payments`. */
  readonly payment: Readonly<Record<string, unknown>>
  /** Changes of a request for a payment after which a rule of business probably refuses it. */
  readonly refusals: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly link: Readonly<Record<string, unknown>>
}

const learned = (path: string, value: unknown, evidence: string) => ({ path, value, evidence })

const create = ({ payment, run, send }: Means, key: string, changes: object = {}) =>
  send({
    method: "POST",
    path: "/payments",
    key: `probe:${run}:${key}`,
    body: { ...payment, description: `manilla probe: ${key}`, ...changes }
  })

/** The same key with another body. */
const otherBody = (means: Means) =>
  Effect.gen(function* () {
    const path = "idempotency.other_body"
    const first = yield* create(means, "other-body")
    const second = yield* create(means, "other-body", { amount: "101" })
    const evidence = `POST /payments -> ${wire.shown(first)}; the same key with another amount -> ${wire.shown(second)}`
    if (!wire.isSuccess(first)) return { path, evidence }
    if (!wire.isSuccess(second)) return learned(path, second.status, evidence)
    return wire.member(first, "id") === wire.member(second, "id")
      ? learned(path, "replay", `${evidence}, the first payment`)
      : learned(path, "new", `${evidence}, ANOTHER PAYMENT: keys do not protect`)
  })

/** A refused request, then a good one with the same key. */
const failures = (means: Means) =>
  Effect.gen(function* () {
    const path = "idempotency.failures"
    for (const [i, refusal] of means.refusals.entries()) {
      const refused = yield* create(means, `failures-${i}`, refusal)
      if (wire.isSuccess(refused)) continue
      const second = yield* create(means, `failures-${i}`)
      const evidence = `POST /payments, ${JSON.stringify(refusal)} -> ${wire.shown(refused)}; the same key with a good request -> ${wire.shown(second)}`
      return learned(path, wire.isSuccess(second) ? "again" : "replay", evidence)
    }
    return { path, evidence: "no request for a service that is unavailable was refused" }
  })

/** A difference of times that means something. */
const clearMillis = 50

/** The second request starts before the first is answered. */
const headMillis = 20

/** Two requests with one key at the same time. */
const inFlight = (means: Means) =>
  Effect.gen(function* () {
    const path = "idempotency.in_flight"
    const startMillis = yield* Clock.currentTimeMillis
    const timed = Effect.zipWith(
      create(means, "in-flight"),
      Clock.currentTimeMillis,
      (answer, endMillis) => ({ answer, millis: endMillis - startMillis })
    )
    const slow = yield* Effect.fork(timed)
    // It may take longer on a busy machine, so both ends count from one start.
    yield* Effect.sleep(headMillis)
    const begunMillis = (yield* Clock.currentTimeMillis) - startMillis
    const second = yield* timed
    const first = yield* Fiber.join(slow)
    const evidence = `two requests with one key -> ${wire.shown(first.answer)} after ${first.millis} ms, and ${wire.shown(second.answer)} after ${second.millis} ms`
    const refused = [first, second].find(({ answer }) => !wire.isSuccess(answer))
    if (refused !== undefined) return learned(path, refused.answer.status, evidence)
    // A busy machine may send it when the service has answered the first.
    return first.millis - begunMillis <= clearMillis
      ? { path, evidence: `${evidence}: too fast to overlap` }
      : learned(path, first.millis - second.millis > clearMillis ? "replay" : "wait", evidence)
  })

const lists = ["/cardholders", "/transactions", "/payment-links", "/cards"]

const pageParameters = ["page", "page_number", "pageNumber", "current_page", "page[number]", "p"]

/** Reads the second page of the first list that has one. */
const pages = ({ send }: Means) =>
  Effect.gen(function* () {
    const read = (path: string) => send({ method: "GET", path })
    const firsts = yield* Effect.forEach(lists, (path) => read(`${path}?per_page=1`))
    const chosen = firsts.findIndex((answer) => Number(wire.member(answer, "total")) > 1)
    const [list, first] = [lists[chosen], firsts[chosen]]
    const path = "page.parameter"
    if (list === undefined || first === undefined) {
      return [{ path, evidence: "no list has more than one row" }]
    }
    const size = wire.member(yield* read(list), "per_page")
    const sizes = learned("page.default_per_page", size, `GET ${list} -> per_page ${String(size)}`)
    for (const name of pageParameters) {
      const query = `${list}?per_page=1&${encodeURIComponent(name)}=2`
      const answer = yield* read(query)
      const [row, ...more] = wire.rowsIn(answer)
      const isOther = JSON.stringify([row]) !== JSON.stringify(wire.rowsIn(first))
      if (row !== undefined && more.length === 0 && isOther) {
        const current = String(wire.member(answer, "current_page"))
        const evidence = `GET ${query} -> current_page ${current}, another row`
        return [sizes, learned(path, name, evidence)]
      }
    }
    return [sizes, { path, evidence: `none of ${pageParameters.join(", ")} selects a page` }]
  })

const nobody = "00000000-0000-4000-8000-000000000000"

/** Errors that any caller can make. */
const mistakes: Readonly<Record<string, wire.HttpRequest>> = {
  unauthenticated: { method: "GET", path: "/services", token: "no-token" },
  not_found: { method: "GET", path: `/payments/${nobody}` },
  invalid: { method: "POST", path: "/payments", key: "probe:invalid", body: {} },
  no_key: { method: "POST", path: "/payments", body: {} }
}

const shapeOf = (details: unknown): string =>
  details === undefined || details === null
    ? "none"
    : Array.isArray(details)
      ? `array of ${details.length === 0 ? "nothing" : shapeOf(details[0])}`
      : typeof details === "object"
        ? `object with ${Object.keys(details).slice(0, 10).join(", ")}`
        : typeof details

const errors = ({ send }: Means) =>
  Effect.forEach(Object.entries(mistakes), ([name, request]) =>
    Effect.map(send(request), (answer) =>
      learned(
        `errors.${name}`,
        {
          status: answer.status,
          code: wire.member(answer, "error", "code"),
          details: shapeOf(wire.member(answer, "error", "details"))
        },
        `${request.method} ${request.path} -> ${wire.shown(answer)}`
      )
    )
  )

const pollFor = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(60))

/**
 * The statuses of a payment from its creation to its end, and those of a success. If it is refused, so are those of the
 * other lessons, which would then learn what is not true.
 */
const statuses = (means: Means) =>
  Effect.gen(function* () {
    const created = yield* create(means, "statuses")
    if (!wire.isSuccess(created)) {
      return yield* failed(
        `The service refuses the payment of the probe: ${wire.shown(created)}. Run it with another --phone.`
      )
    }
    const path = `/payments/${String(wire.member(created, "id"))}`
    const seen = new Set([String(wire.member(created, "status"))])
    const last = yield* means.send({ method: "GET", path }).pipe(
      Effect.tap((answer) => Effect.sync(() => seen.add(String(wire.member(answer, "status"))))),
      Effect.repeat({
        schedule: pollFor,
        until: (answer) => wire.member(answer, "status") !== "PENDING"
      }),
      Effect.zipRight(means.send({ method: "GET", path }))
    )
    return [
      learned("success.create", created.status, `POST /payments -> ${wire.shown(created)}`),
      learned("success.read", last.status, `GET /payments/{id} -> ${wire.shown(last)}`),
      learned("payment_statuses", [...seen], `one payment, read for at most a minute`)
    ]
  })

/** Ways in which a list might be searched. */
const searches = ["metadata[probe]", "metadata.probe", "metadata", "search", "q"]

const links = ({ link, run, send }: Means) =>
  Effect.gen(function* () {
    const path = "links_by_metadata"
    const make = (probe: string) =>
      send({ method: "POST", path: "/payment-links", body: { ...link, metadata: { probe } } })
    const made = yield* make(run)
    const other = yield* make(`${run}-other`)
    if (!wire.isSuccess(made) || !wire.isSuccess(other)) {
      return { path, evidence: `POST /payment-links -> ${wire.shown(made)}, ${wire.shown(other)}` }
    }
    for (const name of searches) {
      const query = `${encodeURIComponent(name)}=${encodeURIComponent(run)}`
      const found = wire.rowsIn(yield* send({ method: "GET", path: `/payment-links?${query}` }))
      if (found.length === 1 && fields.valueIn(found[0], ["id"]) === wire.member(made, "id")) {
        return learned(path, name, `GET /payment-links?${query} -> the link alone`)
      }
    }
    return learned(path, false, `none of ${searches.join(", ")} finds one of two links`)
  })

const burst = 20

const retryAfter = ({ send }: Means) =>
  Effect.gen(function* () {
    const read = send({ method: "GET", path: "/services" })
    const answers = yield* Effect.replicateEffect(read, burst, { concurrency: burst })
    const limited = answers.find(({ status }) => status === 429)
    const path = "retry_after"
    return limited === undefined
      ? { path, evidence: `no 429 among ${burst} reads at once` }
      : learned(path, limited.retryAfter ?? false, `429 among ${burst} reads at once`)
  })

type Lesson = (means: Means) => Effect.Effect<Finding | ReadonlyArray<Finding>, Failure>

/** One after the other, so that each is seen by itself. */
const lessons = [statuses, otherBody, failures, inFlight, links, pages, errors, retryAfter]

export const all = (means: Means) =>
  Effect.map(
    Effect.forEach(lessons, (learn: Lesson) => learn(means)),
    (found) => found.flat()
  )
