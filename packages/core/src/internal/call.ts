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
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type * as Errors from "../Errors.js"
import type * as Operation from "../Operation.js"
import * as attempts from "./attempt.js"
import type { Bearer } from "./bearer.js"
import * as conclusion from "./conclusion.js"
import { clockOf, sleep } from "./fiber.js"
import type { Running } from "./fiber.js"
import type { Encoded } from "./request.js"
import * as response from "./response.js"
import type { RetryBudget } from "./retryBudget.js"
import * as step from "./step.js"
import * as telemetry from "./telemetry.js"

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
  const tell = telemetry.make(name, operation, root)
  const shared: Shared = {
    budget,
    host: root.origin,
    replay: operation.replay,
    attempts: attempts.compile(parameters),
    endings: conclusion.compile(name, operation, root),
    tell
  }
  return (request, rules, hooks) =>
    Effect.withFiberRuntime((fiber) =>
      tell.spanned(fiber, (span) => new Run(shared, request, rules, hooks, fiber, span).run())
    )
}

/** The parts that all calls of an operation share. */
interface Shared {
  readonly budget: RetryBudget
  readonly host: string
  readonly replay: Operation.Replay
  readonly attempts: ReturnType<typeof attempts.compile>
  readonly endings: ReturnType<typeof conclusion.compile>
  readonly tell: ReturnType<typeof telemetry.make>
}

/** One call. As a class it needs less memory in flight than as closures. */
class Run implements attempts.Call {
  readonly traceparent: string | undefined
  private readonly clock: Clock.Clock
  private readonly onResponse: Operation.CallHooks<unknown>["onResponse"]
  private readonly onSuccess: Operation.CallHooks<unknown>["onSuccess"]
  /**
   * A request in flight counts as possibly applied, for an interruption. When its attempt ends,
   * `retryOrFail` decides by the result.
   */
  private state: step.State
  /** The resource of a success, while its hook runs. */
  private applied: response.Found | undefined

  constructor(
    private readonly shared: Shared,
    readonly request: Encoded,
    private readonly rules: step.Rules,
    // Read once, before anything is sent.
    { onResponse, onSuccess }: Operation.CallHooks<unknown>,
    private readonly fiber: Running,
    private readonly span: Tracer.Span | undefined
  ) {
    this.onResponse = onResponse
    this.onSuccess = onSuccess
    this.traceparent = span && telemetry.traceparent(span)
    this.clock = clockOf(fiber)
    this.state = step.start(this.now())
  }

  run(): Effect.Effect<unknown, CallError> {
    return Effect.onExit(this.attempt(), (exit) => this.ended(exit))
  }

  private attempt(): Effect.Effect<unknown, CallError> {
    return Effect.suspend(() => {
      const before = this.state
      return Effect.flatMap(this.shared.attempts.perform(this), ({ bearer, response }) => {
        const wasSent = this.state.sent > before.sent
        if (this.span !== undefined && wasSent) this.report(this.span, response)
        return response._tag === "Success"
          ? this.succeed(response)
          : Effect.flatMap(Random.next, (chance) =>
              this.retryOrFail(before, response, bearer, chance)
            )
      })
    })
  }

  onSend(): void {
    this.state = step.sending(this.state)
    this.shared.tell.sent(this.fiber)
  }

  /** Adds a sent attempt to the span. */
  private report(span: Tracer.Span, response: response.Response): void {
    const meta = this.shared.attempts.meta(response)
    telemetry.attempted(span, this.clock, this.state.sent, response, meta)
  }

  private succeed(success: response.Success): Effect.Effect<unknown> {
    const { onResponse } = this
    this.shared.budget.earn()
    this.onSuccess?.(success.data)
    if (onResponse === undefined) return Effect.succeed(success.data)
    const { correlationId, resource } = this.shared.attempts.meta(success)
    this.applied = resource
    // A hook that fails, or takes too long, must not turn a success into a failure. Interruptible, for its
    // time limit.
    const hook = Effect.interruptible(
      Effect.suspend(() =>
        onResponse({ status: success.status, correlationId, attempts: this.state.sent })
      )
    )
    const limitMillis = Math.max(0, this.leftMillis() + this.rules.leastMillis)
    return Effect.as(Effect.ignoreLogged(Effect.timeoutOption(hook, limitMillis)), success.data)
  }

  /**
   * The failure shows the outcome of its own attempt. So `step` starts from `before`, the state before
   * that attempt, which tells whether an earlier attempt may have been applied.
   */
  private retryOrFail(
    before: step.State,
    failure: response.Failure,
    bearer: Bearer | undefined,
    chance: number
  ): Effect.Effect<unknown, CallError> {
    const nowMillis = this.now()
    const decided = step.step(
      this.rules,
      { ...before, sent: this.state.sent },
      {
        fault: failure.fault,
        retryAfterMillis: failure.retryAfterMillis,
        hasToken: bearer !== undefined,
        other: response.otherIn(failure),
        nowMillis,
        chance,
        budgetMillis: this.shared.budget.waitMillis(nowMillis)
      }
    )
    this.state = decided.state
    if (decided._tag === "Done") {
      const failed = this.fail(failure, decided.because)
      // No time to renew the token, but the next call must not use it.
      return decided.because === "deadline"
        ? Effect.zipRight(this.reject(failure, bearer), failed)
        : failed
    }
    this.shared.tell.retry(this.fiber, failure.fault)
    const wait =
      decided._tag === "Renew"
        ? this.reject(failure, bearer)
        : this.pause(failure, decided.afterMillis)
    return Effect.zipRight(wait, this.again(failure))
  }

  /** Reports a token that the service rejected to its source. */
  private reject({ fault }: response.Failure, bearer: Bearer | undefined): Effect.Effect<void> {
    return bearer !== undefined && fault === "UnauthorizedError"
      ? this.shared.attempts.reject(bearer, this.attemptMillis())
      : Effect.void
  }

  /**
   * Tries again, unless the deadline has passed: the machine may have slept, its clock may be set
   * forward, or the token source may be slow.
   */
  private again(failure: response.Failure): Effect.Effect<unknown, CallError> {
    return Effect.suspend(() =>
      this.leftMillis() > 0 ? this.attempt() : this.fail(failure, "deadline")
    )
  }

  private pause(failure: response.Failure, millis: number): Effect.Effect<void> {
    const { budget, host } = this.shared
    budget.take(this.now())
    const message = `${failure.toError(` (${host})`).message}. Retrying in ${millis} ms.`
    const isNoticeable = this.now() - this.state.startedMillis + millis >= noticeableMillis
    return (isNoticeable ? Effect.logInfo(message) : Effect.logDebug(message)).pipe(
      Effect.zipRight(sleep(millis)),
      Effect.onInterrupt(() => Effect.sync(budget.giveBack))
    )
  }

  private fail(failure: response.Failure, because: step.Reason): Effect.Effect<never, CallError> {
    return Effect.suspend(() =>
      Effect.fail(
        this.shared.endings.error(this.request.key, this.state, because, failure, this.now())
      )
    )
  }

  private ended(exit: Exit.Exit<unknown, CallError>): Effect.Effect<void> {
    const { endings, replay, tell } = this.shared
    tell.ended(this.fiber, this.span, exit, this.now() - this.state.startedMillis)
    return replay._tag !== "Safe" && this.state.doubtful && isInterrupted(exit)
      ? Effect.logWarning(endings.interrupted(this.request.key, this.applied))
      : Effect.void
  }

  now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }

  leftMillis(): number {
    return step.leftMillis(this.rules, this.state, this.now())
  }

  attemptMillis(): number {
    return step.attemptMillis(this.rules, this.state, this.now())
  }
}

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
