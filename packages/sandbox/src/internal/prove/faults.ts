/**
 * The faults of a proof: their words, the requests that they fit, and their effects.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Replay } from "@manilla/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Fault from "../../Fault.js"
import * as ServiceApi from "../../ServiceApi.js"
import type { Emulation } from "../emulation.js"
import * as exchange from "../http/exchange.js"
import { Dropped, Incoming } from "../http/incoming.js"

type Answer = HttpServerResponse.HttpServerResponse

/** The durations of faults: short ones for programs in real time. */
export interface Timing {
  /** How long a lasting fault lasts. */
  readonly lastsMillis: number
  /** How late a late request or response is. */
  readonly lateMillis: number
}

/** A request that meets a fault. */
export interface Met extends Timing {
  readonly operation: string
  readonly emulation: Emulation
  /** Notes a request that is still on its way. Returns the note of its arrival. */
  readonly hold: () => () => void
  /** Kills the process that sent the request. */
  readonly die: Effect.Effect<void>
  /** Starts the life that sent the request a second time. */
  readonly again: () => void
}

export interface Kind {
  /** A predicate: the 2nd Payments.get “gets no response”. */
  readonly words: string
  /** Whether it also applies to all later requests, for some time. */
  readonly lasts?: true
  /** Whether it answers in place of the service. */
  readonly instead?: true
  /** Whether it needs a network without sockets. */
  readonly inProcess?: true
  readonly fits: (operation: string) => boolean
  readonly meet: <R>(
    process: Effect.Effect<Answer, never, R>,
    met: Met
  ) => Effect.Effect<Answer, Dropped, R | Incoming>
}

const replayOf = (operation: string): Replay["_tag"] | undefined =>
  ServiceApi.operations.get(operation)?.replay._tag

/** Whether it can move money. */
export const isWrite = (operation: string) => /^(Keyed|Once)$/.test(replayOf(operation) ?? "")

const any = (operation: string) => ServiceApi.operations.has(operation)
const needsToken = (operation: string) => any(operation) && operation !== "Token.obtain"
const isReadOfOne = (operation: string) => operation.endsWith(".get")
const settles = (operation: string) => /^(Payments|Payouts)\.create$/.test(operation)

const scripted = (
  words: string,
  fault: Fault.Fault,
  rest: Pick<Kind, "lasts"> & { readonly fits?: Kind["fits"] } = {}
): Kind => ({
  words,
  fits: any,
  ...(exchange.answersInstead(fault) ? { instead: true } : {}),
  meet: (process) => exchange.underFault(fault, process),
  ...rest
})

/** The same fault, for some time. */
const lasting = (kind: Kind): Kind => ({ ...kind, lasts: true, words: `${kind.words}, for a time` })

const becomes = (words: string, status: string): Kind => ({
  words,
  fits: settles,
  meet: (process) =>
    Effect.flatMap(Incoming, ({ course }) => {
      course.behaviour = { _tag: "Becomes", status }
      return process
    })
})

const answerOf = (status: number, code: string, message: string) =>
  Fault.status(status, {
    body: JSON.stringify({
      success: false,
      data: { error: { code, message } },
      meta: { correlation_id: null }
    })
  })

/** The members of a response that say whose it is. */
const swapped: Readonly<Record<string, string>> = {
  id: "5ba0c1de-0000-4000-8000-000000000001",
  reference: "PAY-OF-SOMEBODY-ELSE",
  issuance_reference: "of-somebody-else",
  amount: "7.0000"
}

const ofSomebodyElse = (response: Answer, isRead: boolean): Answer => {
  if (response.body._tag !== "Uint8Array" || response.status >= 400) return response
  const text = JSON.stringify(
    JSON.parse(new TextDecoder().decode(response.body.body), (name, value: unknown) =>
      name === "status" && isRead ? "COMPLETED" : (swapped[name] ?? value)
    )
  )
  return HttpServerResponse.text(text, {
    status: response.status,
    contentType: "application/json"
  })
}

const unconnected: Kind = {
  words: "has no connection",
  instead: true,
  inProcess: true,
  fits: any,
  meet: () => Effect.fail(new Dropped({ when: "before", code: "ECONNREFUSED" }))
}
const requestLost = scripted("is lost before it is processed", Fault.dropBefore())
const responseLost = scripted("gets no response: it is lost", Fault.dropAfter())
const late: Kind = {
  words: "gets its response after the deadline",
  fits: any,
  meet: (process, { lateMillis }) => exchange.underFault(Fault.delay(lateMillis), process)
}
const failedBefore = scripted("gets 503, and is not processed", Fault.status(503))
const failedAfter = scripted("gets 500, but is processed", Fault.status(500, { processed: true }))
const missing = scripted(
  "gets 404 from a read that lags",
  answerOf(404, "NOT_FOUND", "The resource does not exist."),
  { fits: isReadOfOne }
)

/** All kinds by name, in the order of the runs. */
export const kinds: Readonly<Record<string, Kind>> = {
  "no connection": unconnected,
  "request lost": requestLost,
  "response lost": responseLost,
  "request late": {
    words: "arrives after the deadline",
    fits: any,
    // It arrives even if its sender has left.
    meet: (process, { hold, lateMillis }) =>
      Effect.suspend(() => {
        const arrived = hold()
        return Effect.sleep(lateMillis).pipe(
          Effect.zipRight(process),
          Effect.ensuring(Effect.sync(arrived)),
          Effect.forkDaemon,
          Effect.flatMap((fiber) => fiber.await),
          Effect.flatten
        )
      })
  },
  "response late": late,
  "500 before": scripted("gets 500, and is not processed", Fault.status(500)),
  "500 after": failedAfter,
  "503 before": failedBefore,
  "503 after": scripted("gets 503, but is processed", Fault.status(503, { processed: true })),
  "429": scripted("gets 429", Fault.status(429, { retry_after: 1 })),
  "revoked token": {
    words: "has a revoked token",
    fits: needsToken,
    meet: (process, { emulation }) => {
      emulation.accounts.revokeTokens()
      return process
    }
  },
  "lagging read": missing,
  "broken body": scripted("gets a broken body", Fault.body('{"success":true,"data":{"id":"3f2c')),
  "other response": {
    words: "gets the response of somebody else",
    fits: (operation) => isReadOfOne(operation) || isWrite(operation),
    meet: (process, { operation }) =>
      Effect.map(process, (response) => ofSomebodyElse(response, !isWrite(operation)))
  },
  "payment fails": becomes("makes a payment that fails later", "FAILED"),
  "unknown status": becomes("makes a payment that ends in an unknown status", "ON_HOLD"),
  "refusal for a time": scripted(
    "is refused with 422, for a time",
    answerOf(422, "LIMIT_REACHED", "A limit is reached. Try again in a minute."),
    { fits: isWrite, lasts: true }
  ),
  "lost credentials": scripted("is refused with 403, for a time", Fault.status(403), {
    fits: isWrite,
    lasts: true
  }),
  "no connection for a time": lasting(unconnected),
  "requests lost for a time": lasting(requestLost),
  "responses lost for a time": lasting(responseLost),
  "responses late for a time": lasting(late),
  "500 after for a time": lasting(failedAfter),
  "503 before for a time": lasting(failedBefore),
  "lagging reads for a time": lasting(missing),
  "death before": {
    words: "is sent by a process that dies before the request is processed",
    instead: true,
    fits: any,
    meet: (_, { die }) => Effect.zipRight(die, Effect.fail(new Dropped({ when: "before" })))
  },
  "death after": {
    words: "is sent by a process that dies when the request was processed",
    fits: any,
    meet: (process, { die }) =>
      Effect.zipRight(process, die).pipe(
        Effect.zipRight(Effect.fail(new Dropped({ when: "after" })))
      )
  },
  twice: {
    words: "is sent while the same life runs a second time",
    fits: any,
    meet: (process, { again }) => {
      again()
      return process
    }
  },
  "twice from the start": {
    words: "runs twice at once",
    fits: (life) => !any(life),
    meet: (process) => process
  }
}
