/**
 * The faults of a proof, the requests that they fit, and their effects. Those that the sandbox also injects elsewhere
 * are its outcomes.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Outcome from "../../Outcome.js"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as exchange from "../http/exchange.js"
import { Dropped } from "../http/incoming.js"
import type { Intercept, Meet } from "../http/incoming.js"

/** The durations of faults: short ones for programs in real time. */
export interface Timing {
  /** How long a fault “for a time” lasts. */
  readonly lastsMillis: number
  /** How late a late request or response is. */
  readonly lateMillis: number
}

/** What a fault does to the process that sent the request. */
export interface Hooks {
  /** Kills it. */
  readonly die: Effect.Effect<void>
  /** Starts its life a second time. */
  readonly again: () => void
}

type Met = Pick<Parameters<Intercept>[0], "course" | "emulation"> & Hooks & Timing

export interface Kind {
  readonly name: string
  readonly fits: (operation: string) => boolean
  readonly meet: (met: Met) => Meet
}

const { operations } = ServiceApi

/** Whether it can move money. */
export const isWrite = (operation: string) =>
  /^(Keyed|Once)$/.test(operations.get(operation)?.replay._tag ?? "")

const isLife = (operation: string) => !operations.has(operation)
const isAny = (operation: string) => operations.has(operation)
const isRead = (operation: string) => operation.endsWith(".get")
const isOfOne = (operation: string) => isRead(operation) || isWrite(operation)
const needsToken = (operation: string) => isAny(operation) && operation !== "Token.obtain"
const settles = (operation: string) => /^(Payments|Payouts)\.create$/.test(operation)

const outcome = (name: string, fits: Kind["fits"]): Kind => ({
  name: name.replaceAll("_", " "),
  fits,
  meet:
    ({ course }) =>
    (process) => {
      const effect = Outcome.named(name)?.effect
      if (effect?._tag === "Suffers") return exchange.underFault(effect.fault, process)
      course.behaviour = effect
      return process
    }
})

const kind = (name: string, fits: Kind["fits"], meet: Kind["meet"]): Kind => ({ name, fits, meet })

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
  if (body._tag !== "Uint8Array" || status >= 400) return response
  const text = new TextDecoder().decode(body.body)
  const changed: unknown = JSON.parse(text, (name, value: unknown) => swapped[name] ?? value)
  return HttpServerResponse.unsafeJson(changed, { status })
}

const refused = Effect.fail(new Dropped({ lost: "request", code: "ECONNREFUSED" }))
const requestLost = Effect.fail(new Dropped({ lost: "request" }))
const responseLost = Effect.fail(new Dropped({ lost: "response" }))

/** A late request arrives even if its sender has left. */
const arrivesAfter =
  (millis: number): Meet =>
  (process) =>
    Effect.flatMap(Effect.forkDaemon(Effect.delay(process, millis)), Fiber.join)

const first =
  (act: () => void): Meet =>
  (process) =>
    Effect.zipRight(Effect.sync(act), process)

const each: ReadonlyArray<Kind> = [
  kind("no connection", isAny, () => () => refused),
  outcome("fails", settles),
  outcome("unknown_status", settles),
  outcome("request_lost", isAny),
  outcome("response_lost", isAny),
  outcome("rate_limited", isAny),
  outcome("server_error", isAny),
  outcome("server_error_after", isAny),
  outcome("unavailable", isAny),
  outcome("unavailable_after", isAny),
  outcome("not_found", isRead),
  outcome("unprocessable", isWrite),
  outcome("forbidden", isWrite),
  outcome("truncated_body", isAny),
  kind("request late", isAny, ({ lateMillis }) => arrivesAfter(lateMillis)),
  kind("response late", isAny, ({ lateMillis }) => Effect.zipLeft(Effect.sleep(lateMillis))),
  kind("response of somebody else", isOfOne, () => Effect.map(ofSomebodyElse)),
  kind("token revoked", needsToken, ({ emulation }) => first(emulation.accounts.revokeTokens)),
  kind(
    "death before",
    isAny,
    ({ die }) =>
      () =>
        Effect.zipRight(die, requestLost)
  ),
  kind("death after", isAny, ({ die }) => Effect.zipRight(Effect.zipRight(die, responseLost))),
  kind("second life", isAny, ({ again }) => first(again)),
  kind("two lives", isLife, () => (process) => process)
]

const lasting =
  /^(no connection|request lost|response (lost|late)|server error after|unavailable|not found|unprocessable|forbidden)$/

const forATime = " for a time"

/** All kinds, in the order of the runs. */
export const kinds: ReadonlyArray<Kind> = [
  ...each,
  ...each
    .filter(({ name }) => lasting.test(name))
    .map((one) => ({ ...one, name: one.name + forATime }))
]

/** Whether it also applies to all later requests, for some time. */
export const lasts = ({ name }: Kind) => name.endsWith(forATime)

/** How long something may come of it. */
export const millisOf = (kind: Kind, { lastsMillis, lateMillis }: Timing) =>
  lasts(kind) ? lastsMillis : kind.name === "request late" ? lateMillis : 0

/** Whether it needs a network without sockets. */
export const isInProcess = ({ name }: Kind) => name.startsWith("no connection")
