/**
 * The faults of a proof, the requests that they fit, and their effects. Those that the sandbox also injects elsewhere
 * are its outcomes.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fault from "../../Fault.js"
import * as Outcome from "../../Outcome.js"
import * as ServiceApi from "../../ServiceApi.js"
import type { Emulation } from "../emulation.js"
import * as exchange from "../http/exchange.js"
import { Dropped, Incoming } from "../http/incoming.js"

type Answer = HttpServerResponse.HttpServerResponse

/** The durations of faults: short ones for programs in real time. */
export interface Timing {
  /** How long a fault “for a time” lasts. */
  readonly lastsMillis: number
  /** How late a late request or response is. */
  readonly lateMillis: number
}

/** A request that meets a fault. */
interface Met {
  readonly operation: string
  readonly emulation: Emulation
  readonly lateMillis: number
  /** Notes a request that is still on its way. Returns the note of its arrival. */
  readonly hold: () => () => void
  /** Kills the process that sent the request. */
  readonly die: Effect.Effect<void>
  /** Starts the life that sent the request a second time. */
  readonly again: () => void
}

export interface Kind {
  /** Whether it also applies to all later requests, for some time. */
  readonly lasts?: true
  /** Whether it answers in place of the service. */
  readonly instead?: boolean
  /** Whether it needs a network without sockets. */
  readonly inProcess?: true
  readonly fits: (operation: string) => boolean
  readonly meet: <R>(
    process: Effect.Effect<Answer, never, R>,
    met: Met
  ) => Effect.Effect<Answer, Dropped, R | Incoming>
}

const { operations } = ServiceApi

/** Whether it can move money. */
export const isWrite = (operation: string) =>
  /^(Keyed|Once)$/.test(operations.get(operation)?.replay._tag ?? "")

const isRequest = (operation: string) => operations.has(operation)
const isReadOfOne = (operation: string) => operation.endsWith(".get")
const needsToken = (operation: string) => isRequest(operation) && operation !== "Token.obtain"

const kind = (meet: Kind["meet"], rest: Partial<Kind> = {}): Kind => ({
  fits: isRequest,
  meet,
  ...rest
})

const scripted = (fault: Fault.Fault, fits: Kind["fits"] = isRequest): Kind =>
  kind((process) => exchange.underFault(fault, process), {
    fits,
    instead: exchange.answersInstead(fault)
  })

const kindOf = ({ effect, operations: fitting }: Outcome.Outcome): Kind =>
  effect._tag === "Suffers"
    ? scripted(effect.fault)
    : kind(
        (process) =>
          Effect.flatMap(Incoming, ({ course }) => {
            course.behaviour = effect
            return process
          }),
        { fits: (operation) => fitting?.some((one) => one === operation) ?? true }
      )

/** The outcomes of the sandbox that are faults of a proof. */
const outcomes = [
  ...["request_lost", "answer_lost", "rate_limited", "server_error", "server_error_after"],
  ...["unavailable", "gateway_timeout", "truncated_body", "fails", "unknown_status"]
]

const refusal = (status: number, message: string): Fault.Fault =>
  Fault.status(status, {
    body: JSON.stringify({ success: false, data: { error: { code: "REFUSED", message } } })
  })

/** The members of a response that say whose it is. */
const swapped: Readonly<Record<string, string>> = {
  id: "5ba0c1de-0000-4000-8000-000000000001",
  reference: "PAY-OF-SOMEBODY-ELSE",
  issuance_reference: "of-somebody-else",
  amount: "7.0000",
  status: "COMPLETED"
}

const ofSomebodyElse = (response: Answer): Answer => {
  const { body, status } = response
  if (body._tag !== "Uint8Array" || status >= 400) return response
  const members: object = JSON.parse(
    new TextDecoder().decode(body.body),
    (name, value: unknown) => swapped[name] ?? value
  )
  return HttpServerResponse.unsafeJson(members, { status })
}

const single: Readonly<Record<string, Kind>> = {
  "no connection": kind(() => Effect.fail(new Dropped({ when: "before", code: "ECONNREFUSED" })), {
    instead: true,
    inProcess: true
  }),
  ...Object.fromEntries(
    Outcome.outcomes
      .filter(({ name }) => outcomes.includes(name))
      .map((one) => [one.name.replaceAll("_", " "), kindOf(one)])
  ),
  // It arrives even if its sender has left.
  "request late": kind((process, { hold, lateMillis }) =>
    Effect.suspend(() => {
      const arrive = hold()
      return Effect.sleep(lateMillis).pipe(
        Effect.zipRight(process),
        Effect.ensuring(Effect.sync(arrive)),
        Effect.forkDaemon,
        Effect.flatMap(Fiber.join)
      )
    })
  ),
  "answer late": kind((process, { lateMillis }) =>
    exchange.underFault(Fault.delay(lateMillis), process)
  ),
  "unavailable after": scripted(Fault.status(503, { processed: true })),
  "token revoked": kind(
    (process, { emulation }) => {
      emulation.accounts.revokeTokens()
      return process
    },
    { fits: needsToken }
  ),
  "lagging read": scripted(refusal(404, "The resource does not exist."), isReadOfOne),
  "answer of somebody else": kind((process) => Effect.map(process, ofSomebodyElse), {
    fits: (operation) => isReadOfOne(operation) || isWrite(operation)
  }),
  refused: scripted(refusal(422, "A limit is reached. Try again in a minute."), isWrite),
  forbidden: scripted(refusal(403, "The credentials do not have this permission."), isWrite)
}

const lasting = [
  ...["no connection", "request lost", "answer lost", "answer late", "server error after"],
  ...["unavailable", "lagging read", "refused", "forbidden"]
]

const dropped = (when: "before" | "after") => Effect.fail(new Dropped({ when }))

/** All kinds by name, in the order of the runs. */
export const kinds: Readonly<Record<string, Kind>> = {
  ...single,
  ...Object.fromEntries(
    Object.entries(single)
      .filter(([name]) => lasting.includes(name))
      .map(([name, one]) => [`${name} for a time`, { ...one, lasts: true }])
  ),
  "death before": kind((_, { die }) => Effect.zipRight(die, dropped("before")), { instead: true }),
  "death after": kind((process, { die }) =>
    Effect.zipRight(process, Effect.zipRight(die, dropped("after")))
  ),
  "second life": kind((process, { again }) => {
    again()
    return process
  }),
  /** Of a life, not of a request. */
  "two lives": kind((process) => process, { fits: (life) => !isRequest(life) })
}
