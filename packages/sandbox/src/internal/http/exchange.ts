/**
 * Handles one exchange: logs its arrival, applies a pending fault, and logs its ending.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Operation from "@manilla/core/Operation"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Exchange from "../../Exchange.js"
import type * as Fault from "../../Fault.js"
import * as Scenario from "../../Scenario.js"
import * as refusal from "../rules/refusal.js"
import { Dropped, Incoming } from "./incoming.js"
import * as reply from "./reply.js"

/** An operation with its name, `Payments.create`. */
export interface Named {
  readonly name: string
  readonly operation: Operation.Operation
}

export const run = <R>(
  named: Named | undefined,
  process: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) =>
  Effect.gen(function* () {
    const { body, correlationId, course, emulation, intercept } = yield* Incoming
    const { exchanges, faults, inFlight, scenarios } = emulation
    const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
    const members = jsonOf(body)
    const key = keyOf(named, headers, members)
    const end = yield* exchanges.open({
      operation: named?.name,
      method,
      path: url.split("?", 1).join(),
      key,
      correlationId,
      body: Redacted.make(body)
    })
    const request = { operation: named?.name, headers, body: members }

    const answer = Effect.gen(function* () {
      const nowMillis = yield* emulation.nowMillis
      const meet = named && intercept?.({ operation: named.name, nowMillis, emulation, course })
      if (meet !== undefined) return yield* meet(process)
      const taken = faults.take(request)
      const asked = taken === undefined ? scenarios.of(request) : Either.right(scenarioOf(taken))
      if (Either.isLeft(asked)) return yield* reply.refuse(asked.left)
      const scenario = asked.right
      if (scenario === undefined) return yield* process
      const { effect, name } = scenario
      if (effect._tag !== "Suffers") {
        course.fault = { name, answersInstead: false }
        course.behaviour = effect
        return yield* process
      }
      const one = { operation: named?.name ?? "", key: key ?? "", scenario: name }
      if (effect.once && key !== undefined && !scenarios.useOnce(one)) return yield* process
      course.fault = { name, answersInstead: answersInstead(effect.fault) }
      return yield* underFault(effect.fault, process)
    })

    const answered =
      named === undefined || key === undefined
        ? answer
        : inFlight(named.name, key, answer, keyInFlight)

    return yield* Effect.onExit(answered, (exit) => {
      const { fault, replay, warnings } = course
      return end({ fault, replay, warnings, ...endOf(exit) })
    })
  })

/** A fault of the queue as a scenario. */
const scenarioOf = (
  rule: Scenario.FaultRule
): Pick<Scenario.Scenario, "name" | "effect"> | undefined =>
  rule.fault === "scenario"
    ? Scenario.named(rule.scenario)
    : { name: rule.fault, effect: { _tag: "Suffers", fault: rule, once: false } }

/** Whether a fault answers or closes the connection in place of the service. */
const answersInstead = (fault: Fault.Fault): boolean =>
  fault.fault === "drop_before" || (fault.fault === "status" && fault.processed !== true)

export const underFault = <R>(
  fault: Fault.Fault,
  process: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, Dropped, R | Incoming> => {
  switch (fault.fault) {
    case "drop_before":
      return Effect.fail(new Dropped({ lost: "request" }))
    case "drop_after":
      return Effect.zipRight(process, Effect.fail(new Dropped({ lost: "response" })))
    case "delay":
      return Effect.zipLeft(process, Effect.sleep(fault.milliseconds))
    case "status": {
      const answer = scripted(fault, fault.status)
      return fault.processed === true ? Effect.zipRight(process, answer) : answer
    }
    case "body":
      return Effect.flatMap(process, ({ status }) => scripted(fault, status))
  }
}

const keyInFlight = reply.refuse(refusal.of("IDEMPOTENCY_KEY_IN_FLIGHT"))

/** Statuses for which HTTP forbids a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const scripted = (
  { body, content_type = "application/json", retry_after }: Fault.Answer,
  status: number
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Incoming> => {
  const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) }
  if (bodiless.has(status)) return Effect.succeed(HttpServerResponse.empty({ status, headers }))
  if (body === undefined) {
    const refused = reply.refuse(refusal.of("SCRIPTED_FAULT", { status }))
    return Effect.map(refused, HttpServerResponse.setHeaders(headers))
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return Effect.succeed(
    HttpServerResponse.uint8Array(bytes, { status, headers, contentType: content_type })
  )
}

const keyOf = (
  named: Named | undefined,
  headers: Readonly<Record<string, string | undefined>>,
  body: () => unknown
): string | undefined => {
  const replay = named?.operation.replay
  if (replay?._tag !== "Keyed") return undefined
  if (replay.in === "header") return headers[replay.name]
  const members = body()
  const key = Predicate.hasProperty(members, replay.name) ? members[replay.name] : undefined
  return Predicate.isString(key) ? key : undefined
}

const decodeJson = Schema.decodeUnknownOption(Schema.parseJson())

/** The body as JSON, parsed when it is first used. */
const jsonOf = (body: Uint8Array): (() => unknown) => {
  let parsed: Option.Option<unknown> | undefined
  return () => {
    parsed ??= decodeJson(new TextDecoder().decode(body))
    return Option.getOrUndefined(parsed)
  }
}

const endOf = (
  exit: Exit.Exit<HttpServerResponse.HttpServerResponse, Dropped>
): Pick<Exchange.Exchange, "ending" | "response"> => {
  if (Exit.isSuccess(exit)) {
    const { body, status } = exit.value
    const bytes = body._tag === "Uint8Array" ? body.body : new Uint8Array()
    return { ending: status, response: Redacted.make(bytes) }
  }
  const dropped = Cause.failureOption(exit.cause)
  const ending = Option.isSome(dropped) ? (`${dropped.value.lost} lost` as const) : "caller left"
  return { ending, response: undefined }
}
