/**
 * One call, from the encoded request to the data of the answer or an error that says the outcome.
 *
 *     token --> transport --> response --> step: done, again after n ms, or renew the token
 *       ^                                    |
 *       +------------------------------------+
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type * as BearerTokens from "../BearerTokens.js"
import type * as Errors from "../Errors.js"
import type * as Operation from "../Operation.js"
import type * as RetryPolicy from "../RetryPolicy.js"
import type * as Transport from "../Transport.js"
import * as bearers from "./bearer.js"
import { conclude, interrupted, tokenTooLate } from "./conclusion.js"
import { clockOf } from "./fiber.js"
import type { Running } from "./fiber.js"
import type { Encoded } from "./request.js"
import * as response from "./response.js"
import type { RetryBudget } from "./retryBudget.js"
import type { Root } from "./rootUrl.js"
import * as sanitize from "./sanitize.js"
import * as step from "./step.js"
import * as telemetry from "./telemetry.js"
import * as timer from "./timer.js"

export interface Parameters {
  readonly name: string
  readonly operation: Operation.Operation
  readonly policy: RetryPolicy.RetryPolicy
  readonly budget: RetryBudget
  readonly transport: Transport.Transport
  readonly tokens: BearerTokens.Service | undefined
  readonly root: Root
  readonly bodyLimit: number
}

export type CallError = Errors.ReadError | Errors.WriteError | Errors.KeyReused

export type Call = (
  request: Encoded,
  options: Operation.CallOptions<unknown>
) => Effect.Effect<unknown, CallError>

/** The end of an attempt, and the token that it was sent with. */
interface Attempt {
  readonly response: response.Response
  readonly bearer: bearers.Bearer | undefined
  /** What was known before it: its own doubt lasts until its response is judged. */
  readonly before: step.State
}

export const compile = (parameters: Parameters): Call => {
  const { bodyLimit, budget, name, operation, policy, root, tokens, transport } = parameters
  const { access, method, path, replay } = operation
  const policyRules = step.rulesOf(policy, replay)
  const read = response.compile(name, root.origin, operation)
  const source = bearers.make(name, tokens)
  const tell = telemetry.make({ name, method, template: path, replay: replay._tag })

  const run = (
    request: Encoded,
    rules: step.Rules,
    onSuccess: Operation.CallOptions<unknown>["onSuccess"],
    fiber: Running,
    clock: Clock.Clock,
    span: Tracer.Span | undefined
  ): Effect.Effect<unknown, CallError> => {
    const now = () => clock.unsafeCurrentTimeMillis()
    const startedMillis = now()
    let state = step.start(startedMillis)

    const attempt = Effect.suspend((): Effect.Effect<Attempt> => {
      if (access === "credentials") return send(undefined)
      const held = source.held(now())
      return held !== undefined
        ? authorized(held)
        : Effect.flatMap(source.obtain(step.leftMillis(rules, state, now()), now), authorized)
    })

    const authorized = (bearer: bearers.Bearer | response.Failure): Effect.Effect<Attempt> => {
      if (bearer._tag === "Failure")
        return Effect.succeed({ response: bearer, bearer: undefined, before: state })
      if (step.leftMillis(rules, state, now()) > 0) return send(bearer)
      const late = tokenTooLate(name, rules.deadlineMillis, tokens?.lastFailure?.(now()))
      return Effect.succeed({ response: late, bearer, before: state })
    }

    const send = (bearer: bearers.Bearer | undefined): Effect.Effect<Attempt> => {
      const before = state
      state = step.sending(state)
      tell.sent(fiber)
      const headers: Record<string, string> = { ...request.headers }
      if (bearer !== undefined) headers["authorization"] = bearer.authorization
      if (span !== undefined) headers["traceparent"] = telemetry.traceparent(span)
      const sent = transport.send({
        method,
        origin: root.origin,
        path: root.path + request.target,
        headers,
        body: request.body,
        timeoutMillis: step.attemptMillis(rules, state, now()),
        bodyLimit
      })
      return Effect.map(sent, (result) => {
        const response = read(result, {
          request,
          grantedScopes: bearer?.token.scopes ?? [],
          sanitizer: () =>
            sanitize.make([...request.sensitive(), ...(bearer === undefined ? [] : [bearer.text])]),
          nowMillis: now()
        })
        if (span !== undefined) telemetry.attempted(span, clock, state.sent, resultOf(response))
        return { response, bearer, before }
      })
    }

    const loop: Effect.Effect<unknown, CallError> = Effect.flatMap(
      attempt,
      ({ bearer, before, response }) => {
        if (response._tag === "Failure") {
          return Effect.flatMap(Random.next, next(response, bearer, before))
        }
        budget.earn()
        onSuccess?.(response.data)
        return Effect.succeed(response.data)
      }
    )

    const next =
      (failure: response.Failure, bearer: bearers.Bearer | undefined, before: step.State) =>
      (chance: number): Effect.Effect<unknown, CallError> => {
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
          // The next call would be refused as well.
          return decided.because === "deadline" && failure.fault === "UnauthorizedError"
            ? Effect.zipRight(giveBack(bearer), fail(failure, decided.because))
            : fail(failure, decided.because)
        }
        tell.retry(fiber, failure.fault)
        if (decided._tag === "Renew") return Effect.zipRight(giveBack(bearer), loop)
        return Effect.zipRight(
          pause(failure, decided.afterMillis),
          Effect.suspend(() =>
            // The machine slept, or the clock was set forward.
            step.leftMillis(rules, state, now()) > 0 ? loop : fail(failure, "deadline")
          )
        )
      }

    const giveBack = (bearer: bearers.Bearer | undefined): Effect.Effect<void> =>
      bearer === undefined
        ? Effect.void
        : source.giveBack(bearer, step.attemptMillis(rules, state, now()))

    const pause = (failure: response.Failure, millis: number): Effect.Effect<void> => {
      budget.take(now())
      return Effect.logDebug(`${failure.toError().message} Trying again in ${millis} ms.`).pipe(
        Effect.zipRight(timer.sleep(millis)),
        Effect.onInterrupt(() => Effect.sync(budget.giveBack))
      )
    }

    const fail = (failure: response.Failure, because: step.Reason) =>
      Effect.suspend(() =>
        Effect.fail(conclude(name, replay, request.key, state, because, failure))
      )

    return Effect.onExit(loop, (exit) => {
      tell.ended(fiber, outcomeOf(exit), now() - startedMillis)
      return replay._tag !== "Safe" && state.doubtful && isInterrupted(exit)
        ? Effect.logWarning(interrupted(name, request.key))
        : Effect.void
    })
  }

  return (request, { onSuccess, timeoutMillis }) =>
    Effect.withFiberRuntime((fiber) => {
      const clock = clockOf(fiber)
      const rules = step.within(policyRules, timeoutMillis)
      return tell.spanned(fiber, clock, (span) =>
        run(request, rules, onSuccess, fiber, clock, span)
      )
    })
}

const resultOf = (response: response.Response): string =>
  response._tag === "Success" ? "Success" : response.fault

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)

const outcomeOf = (exit: Exit.Exit<unknown, CallError>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Cause.failureOption(exit.cause)
  if (Option.isSome(error)) return error.value._tag
  return Cause.isInterrupted(exit.cause) ? "Interrupted" : "Defect"
}
