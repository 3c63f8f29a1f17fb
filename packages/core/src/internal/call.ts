/**
 * The life of one call. `Gateway.ts` first encodes the request (`request.ts`) and chooses the rules of
 * the retries (`policy.ts`). Then:
 *
 *     attempt ------> success: the data
 *        ^    failure   |
 *        |              v
 *        +--- again   step.ts ---> done: the error of the call (conclusion.ts)
 *       pause, or renewed token
 *
 * An attempt (`attempt.ts`) obtains a token (`bearer.ts`), sends the request (`transport.ts`) and reads
 * the response (`response.ts`).
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type * as Errors from "../Errors.js"
import type * as Operation from "../Operation.js"
import * as attempts from "./attempt.js"
import type { Bearer } from "./bearer.js"
import * as conclusion from "./conclusion.js"
import { clockOf } from "./fiber.js"
import type { Running } from "./fiber.js"
import type { Encoded } from "./request.js"
import * as response from "./response.js"
import type { RetryBudget } from "./retryBudget.js"
import * as step from "./step.js"
import * as telemetry from "./telemetry.js"
import * as timer from "./timer.js"

export interface Parameters extends attempts.Parameters {
  readonly budget: RetryBudget
}

export type CallError = Errors.ReadError | Errors.WriteError | Errors.KeyedWriteError

export type Call = (
  request: Encoded,
  rules: step.Rules,
  options: Operation.CallHooks<unknown>
) => Effect.Effect<unknown, CallError>

/** Retries of a call that takes longer than this are logged at Info, others at Debug. */
const noticeableMillis = 1000

export const compile = (parameters: Parameters): Call => {
  const { budget, name, operation, root } = parameters
  const { replay } = operation
  const { meta, perform, reject } = attempts.compile(parameters)
  const tell = telemetry.make(name, operation, root)
  const endings = conclusion.compile(name, operation, root)

  const run = (
    request: Encoded,
    rules: step.Rules,
    { onResponse, onSuccess }: Operation.CallHooks<unknown>,
    fiber: Running,
    span: Tracer.Span | undefined
  ): Effect.Effect<unknown, CallError> => {
    const clock = clockOf(fiber)
    const now = () => clock.unsafeCurrentTimeMillis()

    /**
     * While a request is in flight, its outcome counts as unknown, for an interruption. Its response
     * then decides: `retryOrFail`.
     */
    let state = step.start(now())
    /** The resource of a success, while its hook runs. */
    let applied: response.Found | undefined

    const leftMillis = () => step.leftMillis(rules, state, now())
    const attemptMillis = () => step.attemptMillis(rules, state, now())

    const call: attempts.Call = {
      request,
      now,
      leftMillis,
      attemptMillis,
      onSend: () => {
        state = step.sending(state)
        tell.sent(fiber)
      },
      traceparent: span && telemetry.traceparent(span)
    }

    const attempt = (before: step.State): Effect.Effect<unknown, CallError> =>
      Effect.suspend(() =>
        Effect.flatMap(perform(call), ({ bearer, response }) => {
          const wasSent = state !== before
          if (span !== undefined && wasSent) {
            telemetry.attempted(span, clock, state.sent, response, meta(response))
          }
          return response._tag === "Success"
            ? succeed(response)
            : Effect.flatMap(Random.next, (chance) => retryOrFail(before, response, bearer, chance))
        })
      )

    const succeed = (success: response.Success): Effect.Effect<unknown> => {
      budget.earn()
      onSuccess?.(success.data)
      if (onResponse === undefined) return Effect.succeed(success.data)
      const { correlationId, resource } = meta(success)
      applied = resource
      const hook = Effect.suspend(() =>
        onResponse({ status: success.status, correlationId, attempts: state.sent })
      )
      // A hook that fails, or takes too long, must not turn a success into a failure.
      const limited = Effect.timeoutOption(hook, Math.max(0, leftMillis() + rules.leastMillis))
      return Effect.as(Effect.ignoreLogged(limited), success.data)
    }

    /**
     * The failure shows the outcome of its own attempt. So `step` starts from `before`, the state before
     * that attempt, which tells whether an earlier attempt may have been applied.
     */
    const retryOrFail = (
      before: step.State,
      failure: response.Failure,
      bearer: Bearer | undefined,
      chance: number
    ): Effect.Effect<unknown, CallError> => {
      const decided = step.step(
        rules,
        { ...before, sent: state.sent },
        {
          fault: failure.fault,
          retryAfterMillis: failure.retryAfterMillis,
          hasToken: bearer !== undefined,
          other: response.otherIn(failure),
          nowMillis: now(),
          chance,
          budgetMillis: budget.waitMillis(now())
        }
      )
      state = decided.state
      if (decided._tag === "Done") {
        const failed = fail(failure, decided.because)
        // No time to renew the token, but the next call must not use it.
        return decided.because === "deadline"
          ? Effect.zipRight(rejected(failure, bearer), failed)
          : failed
      }
      tell.retry(fiber, failure.fault)
      const wait =
        decided._tag === "Renew" ? rejected(failure, bearer) : pause(failure, decided.afterMillis)
      return Effect.zipRight(wait, again(failure))
    }

    /** Reports a token that the service rejected to its source. */
    const rejected = ({ fault }: response.Failure, bearer: Bearer | undefined) =>
      bearer !== undefined && fault === "UnauthorizedError"
        ? reject(bearer, attemptMillis())
        : Effect.void

    /** The machine may have slept, its clock may be set forward, or the token source may be slow. */
    const again = (failure: response.Failure) =>
      Effect.suspend(() => (leftMillis() > 0 ? attempt(state) : fail(failure, "deadline")))

    const pause = (failure: response.Failure, millis: number): Effect.Effect<void> => {
      budget.take(now())
      const message = `${failure.toError(` (${root.origin})`).message}. Retrying in ${millis} ms.`
      const isNoticeable = now() - state.startedMillis + millis >= noticeableMillis
      return (isNoticeable ? Effect.logInfo(message) : Effect.logDebug(message)).pipe(
        Effect.zipRight(timer.sleep(millis)),
        Effect.onInterrupt(() => Effect.sync(budget.giveBack))
      )
    }

    const fail = (failure: response.Failure, because: step.Reason) =>
      Effect.suspend(() => Effect.fail(endings.error(request.key, state, because, failure, now())))

    return Effect.onExit(attempt(state), (exit) => {
      tell.ended(fiber, span, exit, now() - state.startedMillis)
      return replay._tag !== "Safe" && state.doubtful && isInterrupted(exit)
        ? Effect.logWarning(endings.interrupted(request.key, applied))
        : Effect.void
    })
  }

  return (request, rules, hooks) =>
    Effect.withFiberRuntime((fiber) =>
      tell.spanned(fiber, (span) => run(request, rules, hooks, fiber, span))
    )
}

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
