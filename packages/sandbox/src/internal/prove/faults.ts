/**
 * The faults of a proof, the requests that they fit, and their effects. Those that the sandbox also injects elsewhere
 * are its outcomes.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Outcome from "../../Outcome.js"
import * as ServiceApi from "@manilla/service/ServiceApi"
import type { Emulation } from "../emulation.js"
import * as exchange from "../http/exchange.js"
import { Dropped } from "../http/incoming.js"
import type { Course, Meet } from "../http/incoming.js"

/** The durations of faults: short ones for programs in real time. */
export interface Timing {
  /** How long a fault “for a time” lasts. */
  readonly lastsMillis: number
  /** How late a late request or response is. */
  readonly lateMillis: number
}

/** A request that meets a fault. */
interface Met {
  readonly emulation: Emulation
  readonly course: Course
  readonly lateMillis: number
  /** Kills the process that sent the request. */
  readonly die: Effect.Effect<void>
  /** Starts the life that sent the request a second time. */
  readonly again: () => void
}

export interface Kind {
  readonly fits: (operation: string) => boolean
  readonly meet: (met: Met) => Meet
}

const { operations } = ServiceApi

/** Whether it can move money. */
export const isWrite = (operation: string) =>
  /^(Keyed|Once)$/.test(operations.get(operation)?.replay._tag ?? "")

const isAny = (operation: string) => operations.has(operation)
const isReadOfOne = (operation: string) => operation.endsWith(".get")
const needsToken = (operation: string) => isAny(operation) && operation !== "Token.obtain"
const isOfOne = (operation: string) => isReadOfOne(operation) || isWrite(operation)
const settles = (operation: string) => /^(Payments|Payouts)\.create$/.test(operation)

/** The outcomes of the sandbox that are faults, and the operations that meet them. */
const outcomes: ReadonlyMap<string, Kind["fits"]> = new Map([
  ["request_lost", isAny],
  ["response_lost", isAny],
  ["rate_limited", isAny],
  ["server_error", isAny],
  ["server_error_after", isAny],
  ["unavailable", isAny],
  ["unavailable_after", isAny],
  ["truncated_body", isAny],
  ["not_found", isReadOfOne],
  ["unprocessable", isWrite],
  ["forbidden", isWrite],
  ["fails", settles],
  ["unknown_status", settles]
])

const meetOutcome =
  (effect: Outcome.Behaviour): Kind["meet"] =>
  ({ course }) =>
  (process) => {
    if (effect._tag === "Suffers") return exchange.underFault(effect.fault, process)
    course.behaviour = effect
    return process
  }

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

const dropped = (lost: "request" | "response", code?: "ECONNREFUSED") =>
  Effect.fail(new Dropped({ lost, ...(code && { code }) }))

const first =
  (act: () => void): Meet =>
  (process) =>
    Effect.zipRight(Effect.sync(act), process)

const withoutTime: Readonly<Record<string, Kind>> = {
  "no connection": { fits: isAny, meet: () => () => dropped("request", "ECONNREFUSED") },
  ...Object.fromEntries(
    Outcome.outcomes.flatMap(({ effect, name }) => {
      const fits = outcomes.get(name)
      return fits ? [[name.replaceAll("_", " "), { fits, meet: meetOutcome(effect) }]] : []
    })
  ),
  "request late": {
    fits: isAny,
    meet:
      ({ lateMillis }) =>
      (process) =>
        // It arrives even if its sender has left.
        Effect.sleep(lateMillis).pipe(
          Effect.zipRight(process),
          Effect.forkDaemon,
          Effect.flatMap(Fiber.join)
        )
  },
  "response late": {
    fits: isAny,
    meet: ({ lateMillis }) => Effect.zipLeft(Effect.sleep(lateMillis))
  },
  "response of somebody else": { fits: isOfOne, meet: () => Effect.map(ofSomebodyElse) },
  "token revoked": {
    fits: needsToken,
    meet: ({ emulation }) => first(emulation.accounts.revokeTokens)
  },
  "death before": {
    fits: isAny,
    meet:
      ({ die }) =>
      () =>
        Effect.zipRight(die, dropped("request"))
  },
  "death after": {
    fits: isAny,
    meet: ({ die }) => Effect.zipRight(Effect.zipRight(die, dropped("response")))
  },
  "second life": { fits: isAny, meet: ({ again }) => first(again) },
  /** Of a life, not of a request. */
  "two lives": { fits: (life) => !isAny(life), meet: () => (process) => process }
}

const lasting =
  /^(no connection|request lost|response (lost|late)|server error after|unavailable|not found|unprocessable|forbidden)$/

const forATime = " for a time"

/** All kinds by name, in the order of the runs. */
export const kinds: Readonly<Record<string, Kind>> = {
  ...withoutTime,
  ...Object.fromEntries(
    Object.entries(withoutTime)
      .filter(([name]) => lasting.test(name))
      .map(([name, kind]) => [name + forATime, kind])
  )
}

/** Whether it also applies to all later requests, for some time. */
export const lasts = (name: string) => name.endsWith(forATime)

/** How long something may come of it. */
export const millisOf = (name: string, { lastsMillis, lateMillis }: Timing) =>
  lasts(name) ? lastsMillis : name === "request late" ? lateMillis : 0

/** Whether it needs a network without sockets. */
export const isInProcess = (name: string) => name.startsWith("no connection")
