/**
 * The faults of a proof, the requests that they fit, and their effects. Those that the sandbox also injects elsewhere
 * are its scenarios.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Scenario from "../../Scenario.js"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as exchange from "../http/exchange.js"
import { Dropped } from "../http/incoming.js"
import type { Intercept, Meet } from "../http/incoming.js"

/** The effects of a fault on the process that sent the request, and the time that it takes. */
export interface Hooks {
  /** Kills the process. */
  readonly die: Effect.Effect<void>
  /** Starts its life a second time. */
  readonly again: () => void
  /** How late a late request or response is. */
  readonly lateMillis: number
}

type Met = Pick<Parameters<Intercept>[0], "course" | "emulation"> & Hooks

export interface Fault {
  readonly name: string
  readonly fits: (operation: string) => boolean
  readonly meet: (met: Met) => Meet
  /** How long something may come of it. One that lasts also applies to all later requests of that time. */
  readonly span: "moment" | "lasting" | "late"
  /** Whether it also comes as one that lasts. */
  readonly canLast?: true
  /** Only there, a connection can be refused, and minutes pass at once. */
  readonly inProcess?: true
}

const { operations } = ServiceApi

/** Whether it can move money. */
export const isWrite = (operation: string) =>
  /^(Keyed|Once)$/.test(operations.get(operation)?.replay._tag ?? "")

/** Whether it is a life of the script, and no request. */
export const isLife = (operation: string) => !operations.has(operation)
const isAny = (operation: string) => operations.has(operation)
const isRead = (operation: string) => operation.endsWith(".get")
const isOfOne = (operation: string) => isRead(operation) || isWrite(operation)
const needsToken = (operation: string) => isAny(operation) && operation !== "Token.obtain"

const fault = (name: string, fits: Fault["fits"], meet: Fault["meet"]): Fault => ({
  name,
  fits,
  meet,
  span: "moment"
})

/** A fault of a life. The trial sees to it. */
const ofLife = (name: string) => fault(name, isLife, () => identity)

const lasting = (one: Fault): Fault => ({ ...one, canLast: true })

const scenarios = (fits: Fault["fits"], ...names: ReadonlyArray<string>) =>
  names.map((name) => {
    const scenario = Scenario.named(name)
    const fitsBoth = (operation: string) =>
      fits(operation) && scenario !== undefined && Scenario.appliesTo(scenario, operation)
    return fault(name.replaceAll("_", " "), fitsBoth, ({ course }) => (process) => {
      const effect = scenario?.effect
      if (effect?._tag === "Suffers") return exchange.underFault(effect.fault, process)
      course.behaviour = effect
      return process
    })
  })

/** The members of a response that say whose it is. */
const swapped: Readonly<Record<string, string>> = {
  id: "5ba0c1de-0000-4000-8000-000000000001",
  reference: "PAY-OF-SOMEBODY-ELSE",
  issuance_reference: "of-somebody-else",
  amount: "7.0000",
  status: "COMPLETED"
}

const ofSomebodyElse = (response: HttpServerResponse.HttpServerResponse) => {
  const { body, status } = response
  if (body._tag !== "Uint8Array") return response
  const text = new TextDecoder().decode(body.body)
  const changed: unknown = JSON.parse(text, (name, value: unknown) => swapped[name] ?? value)
  return HttpServerResponse.unsafeJson(changed, { status })
}

const lost = (lost: "request" | "response") => Effect.fail(new Dropped({ lost }))
const refused = Effect.fail(new Dropped({ lost: "request", code: "ECONNREFUSED" }))

const before =
  (first: Effect.Effect<void>): Meet =>
  (process) =>
    Effect.zipRight(first, process)

/** A late request arrives even if its sender has left. */
const arrivesAfter =
  (millis: number): Meet =>
  (process) =>
    Effect.flatMap(Effect.forkDaemon(Effect.delay(process, millis)), Fiber.join)

export const mixedUp = fault("response of somebody else", isOfOne, () => Effect.map(ofSomebodyElse))

/** Longer than most programs wait. A program that polls all the time makes a long run of it. */
const completesLate = scenarios(isWrite, "completes_late").map((one): Fault => ({
  ...one,
  inProcess: true,
  meet:
    ({ course }) =>
    (process) => {
      course.behaviour = { _tag: "Becomes", status: "COMPLETED", afterMillis: 20 * 60 * 1000 }
      return process
    }
}))

/** A life begins twice. */
export const twoLives = ofLife("two lives")

/** A life begins together with the next one of the script. */
export const nextLife = ofLife("next life too")

/** Another order is paid before a life of this one. */
export const anotherOrder = ofLife("another order")

const single: ReadonlyArray<Fault> = [
  { ...lasting(fault("no connection", isAny, () => () => refused)), inProcess: true },
  ...scenarios(isWrite, "fails", "unknown_status", "link_expired"),
  ...completesLate,
  ...scenarios(isAny, "request_lost", "response_lost").map(lasting),
  ...scenarios(isAny, "rate_limited", "truncated_body", "server_error"),
  ...scenarios(isAny, "server_error_after", "unavailable").map(lasting),
  ...scenarios(isAny, "unavailable_after"),
  ...scenarios(isRead, "not_found").map(lasting),
  ...scenarios(isWrite, "unprocessable", "conflict").map(lasting),
  ...scenarios(isOfOne, "forbidden", "empty_data").map(lasting),
  { ...fault("request late", isAny, ({ lateMillis }) => arrivesAfter(lateMillis)), span: "late" },
  lasting(
    fault("response late", isAny, ({ lateMillis }) => Effect.zipLeft(Effect.sleep(lateMillis)))
  ),
  mixedUp,
  fault("token revoked", needsToken, ({ emulation }) =>
    before(Effect.sync(emulation.accounts.revokeTokens))
  ),
  fault(
    "death before",
    isAny,
    ({ die }) =>
      () =>
        Effect.zipRight(die, lost("request"))
  ),
  fault("death after", isAny, ({ die }) => Effect.zipRight(Effect.zipRight(die, lost("response")))),
  fault("second life", isAny, ({ again }) => before(Effect.sync(again))),
  twoLives,
  nextLife
]

/** All faults, in the order of the runs. */
export const faults: ReadonlyArray<Fault> = [
  ...single,
  ...single
    .filter(({ canLast }) => canLast)
    .map((one): Fault => ({ ...one, name: `${one.name} for a time`, span: "lasting" }))
]
