/**
 * The workload: instructions, their calls, and the outcome that each call reported. An instruction is
 * one business operation: its money must move at most once, however often it is called.
 */
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type { Chance } from "./Chance.js"
import * as Network from "./Network.js"
import type { Process } from "./Process.js"
import type { Time } from "@manilla/test-support/Time"
import type { Trace } from "./Trace.js"
import * as Writes from "./Writes.js"

export interface Stopped {
  readonly tag: string
  /** The cause of a `TokenUnavailableError`. */
  readonly tokenCause: string | undefined
}

/** The outcome that a call reported to its caller. */
export type Reported =
  | {
      readonly _tag: "Applied"
      /** The ids and references in the result or the error. */
      readonly names: ReadonlyArray<string>
      /** The values of the result that must match the request. */
      readonly shown: Writes.Shown
      /** The final status, if the call waited for one. */
      readonly finalStatus: string | undefined
      /** Why the wait ended before the final status: the failure of its last read, or its deadline. */
      readonly stopped: Stopped | undefined
      /** Set if the response was unreadable: the key in the error. */
      readonly unreadable: { readonly key: string | undefined } | undefined
    }
  | { readonly _tag: "NotApplied"; readonly error: string; readonly code: string | undefined }
  | {
      readonly _tag: "Unknown"
      readonly error: string
      /** The key and the number of attempts in the error. */
      readonly key: string | undefined
      readonly attempts: number | undefined
    }

export interface Call {
  readonly name: string
  readonly startedMillis: number
  endedMillis: number
  /** `undefined` while the call is running. */
  outcome: Reported | undefined
}

export interface Instruction extends Writes.Order {
  /** The method that it calls. */
  readonly kind: string
  readonly write: ServiceApi.WriteName
  readonly method: Writes.Method
  readonly calls: Array<Call>
}

/** The methods of all writes, by name. */
const kinds = new Map(
  Record.toEntries(Writes.all).flatMap(([write, { methods }]) =>
    Object.entries(methods).map(([kind, method]) => [kind, { write, method }] as const)
  )
)

const weights = Object.fromEntries(Array.from(kinds, ([kind, { method }]) => [kind, method.weight]))

const replayOf = ({ write }: Instruction) => ServiceApi.operations.get(write)?.replay

/** Without a key, each call is a separate order. */
export const isKeyed = (instruction: Instruction): boolean =>
  replayOf(instruction)?._tag === "Keyed"

export const make = (index: number, chance: Chance): Instruction => {
  const kind = chance.weighted(weights)
  const known = kinds.get(kind)
  if (known === undefined) throw new Error(`${kind} is no method`)
  return {
    ...known,
    name: `order-${index}`,
    kind,
    key: IdempotencyKey.derive("order", String(index)),
    amount: Writes.all[known.write].amount(chance),
    beneficiary: `+22901612345${String(index).padStart(2, "0")}`,
    calls: []
  }
}

/** The body that a call must send. */
export const bodyOf = (
  instruction: Instruction,
  call: string,
  means: Writes.Means
): Readonly<Record<string, unknown>> => {
  const body = { ...instruction.method.request(instruction, means, call) }
  const replay = replayOf(instruction)
  return replay?._tag === "Keyed" && replay.in === "body"
    ? { ...body, [replay.name]: instruction.key }
    : body
}

export interface Environment {
  readonly process: () => Process
  readonly means: Writes.Means
  readonly time: Time
  readonly trace: Trace
}

/** Makes one call for the instruction and records its outcome. */
export const runCall = (instruction: Instruction, { means, process, time, trace }: Environment) =>
  Effect.suspend(() => {
    const name = `${instruction.name}/${instruction.calls.length + 1}`
    const call: Call = {
      name,
      startedMillis: time.elapsedMillis(),
      endedMillis: Infinity,
      outcome: undefined
    }
    instruction.calls.push(call)
    const record = (outcome: Reported) =>
      Effect.sync(() => {
        call.outcome = outcome
        call.endedMillis = time.elapsedMillis()
        trace.write(name, () => describe(outcome))
      })
    const { client, run } = process()
    return run(
      instruction.method
        .call(client, instruction, means, call.name)
        .pipe(Effect.match({ onFailure: outcomeOf, onSuccess: applied }), Effect.flatMap(record))
    ).pipe(
      // Outside the race too: an effect that loses at once never starts.
      Effect.ensuring(
        Effect.suspend(() => (call.outcome === undefined ? record(interrupted) : Effect.void))
      ),
      Effect.locally(Network.currentCall, name),
      Effect.asVoid
    )
  })

const describe = (outcome: Reported): string => {
  if (outcome._tag !== "Applied") return `outcome: ${outcome._tag}, ${outcome.error}`
  const rest = [outcome.finalStatus, outcome.stopped && `stopped waiting: ${outcome.stopped.tag}`]
  return [`outcome: Applied ${outcome.names.join(" ")}`, ...rest.filter(Boolean)].join(", ")
}

const interrupted: Reported = {
  _tag: "Unknown",
  error: "Interrupted",
  key: undefined,
  attempts: undefined
}

const isWriteError = Schema.is(Schema.Union(Errors.WriteError, Errors.KeyedWriteError))

/** Derives the outcome as an application would: from the tag of the error alone. */
const outcomeOf = (error: Writes.WriteError): Reported => {
  // Any other error of a wait means that the intent or payout exists.
  if (!isWriteError(error)) {
    return applied({
      names: ["reference" in error ? error.reference : error.id],
      stopped: {
        tag: error.cause?._tag ?? "deadline",
        tokenCause:
          error.cause?._tag === "TokenUnavailableError" ? error.cause.cause?._tag : undefined
      }
    })
  }
  switch (error._tag) {
    case "OutcomeUnknown":
    case "UnkeyedOutcomeUnknown":
      return {
        _tag: "Unknown",
        error: `${error._tag} (${error.cause._tag})`,
        key: keyOf(error),
        attempts: error.attempts
      }
    case "KeyReused":
      return { _tag: "Unknown", error: error._tag, key: error.key, attempts: error.attempts }
    case "AppliedUnreadable":
    case "UnkeyedAppliedUnreadable":
      return applied({ names: [error.id, error.reference], unreadable: { key: keyOf(error) } })
    default:
      return {
        _tag: "NotApplied",
        error: error._tag,
        code: "code" in error ? error.code : undefined
      }
  }
}

const keyOf = (error: Errors.WriteError | Errors.KeyedWriteError) =>
  "key" in error ? error.key : undefined

const applied = ({
  names,
  finalStatus,
  shown = {},
  stopped,
  unreadable
}: Writes.Result & {
  readonly stopped?: Stopped
  readonly unreadable?: { readonly key: string | undefined }
}): Reported => ({
  _tag: "Applied",
  names: names.filter((name) => name !== undefined),
  shown,
  finalStatus,
  stopped,
  unreadable
})

export const outcomes = ({ calls }: Instruction): ReadonlyArray<Reported> =>
  calls.flatMap(({ outcome }) => outcome ?? [])

/**
 * Whether the outcome of the instruction is unknown. A "not applied" of a later call does not resolve
 * it, because a request of an earlier call may still be in transit.
 */
export const isUnknown = (instruction: Instruction): boolean => {
  const tags = outcomes(instruction).map(({ _tag }) => _tag)
  return !tags.includes("Applied") && tags.includes("Unknown")
}
