/**
 * The life of one call. `Gateway.ts` first encodes the request (`request.ts`) and chooses the rules of
 * the retries (`policy.ts`). Then, in one direction:
 *
 *     token (bearer.ts) --> send (transport.ts) --> read (response.ts) --> success: the data
 *       ^                                             | failure
 *       |                                             v
 *       +--- pause, or renewed token -------- retryLoop.ts --> done: the error (conclusion.ts)
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import type * as Tracer from "effect/Tracer"
import type * as BearerTokens from "../../BearerTokens.js"
import type * as Operation from "../../Operation.js"
import * as Sensitive from "../../Sensitive.js"
import { otherIn } from "../body/reading.js"
import type { Context, Failure, Success } from "../body/reading.js"
import * as bearers from "./bearer.js"
import * as conclusion from "./conclusion.js"
import * as fibers from "../wait/fiber.js"
import type { Running } from "../wait/fiber.js"
import * as messages from "../text/messages.js"
import type { Rules } from "./policy.js"
import type { Encoded } from "../body/request.js"
import * as response from "../body/response.js"
import type { RetryBudget } from "./retryBudget.js"
import type { Root } from "../transport/rootUrl.js"
import * as sanitize from "../text/sanitize.js"
import * as retryLoop from "./retryLoop.js"
import * as telemetry from "./telemetry.js"
import type { Transport } from "../transport/transport.js"
import { withoutFrames } from "../text/withoutFrames.js"

export interface Parameters {
  readonly name: string
  readonly operation: Operation.Operation
  readonly root: Root
  readonly transport: Transport
  readonly tokens: BearerTokens.Service | undefined
  readonly bodyLimit: number
  readonly budget: RetryBudget
}

type Result = Effect.Effect<unknown, conclusion.CallError>

/** Makes the function that performs calls of one operation. */
export const make = (
  parameters: Parameters
): ((
  request: Encoded,
  rules: Rules,
  onResponse: Operation.CallOptions["onResponse"]
) => Result) => {
  const { name, operation, root, tokens } = parameters
  const { payload } = operation
  const tell = telemetry.make(name, operation, root)
  const shared: Shared = {
    ...parameters,
    bearers: bearers.make(name, tokens),
    reader: response.makeReader(name, operation),
    sensitive: payload === undefined ? () => [] : Sensitive.values(payload),
    conclude: conclusion.make(name, operation, root),
    tell
  }
  return (request, rules, onResponse) =>
    Effect.withFiberRuntime((fiber) =>
      tell.spanned(fiber, (span) => new Call(shared, request, rules, onResponse, fiber, span).run())
    )
}

/** The parts that all calls of an operation share. */
interface Shared extends Parameters {
  readonly bearers: bearers.Source
  readonly reader: response.Reader
  readonly sensitive: (payload: unknown) => ReadonlyArray<string>
  readonly conclude: ReturnType<typeof conclusion.make>
  readonly tell: ReturnType<typeof telemetry.make>
}

/** Retries of a call that takes longer than this are logged at Info, others at Debug. */
const noticeableMillis = 1000

/** One call, and the only owner of its state. As a class it needs less memory in flight than as closures. */
class Call {
  private readonly clock: Clock.Clock
  private state: retryLoop.State
  /** The 401 after which the token is renewed. */
  private unauthorized: Failure | undefined

  constructor(
    private readonly shared: Shared,
    private readonly request: Encoded,
    private readonly rules: Rules,
    private readonly onResponse: Operation.CallOptions["onResponse"],
    private readonly fiber: Running,
    private readonly span: Tracer.Span | undefined
  ) {
    this.clock = fibers.clockOf(fiber)
    this.state = retryLoop.start(this.now())
  }

  run(): Result {
    return Effect.onExit(
      Effect.suspend(() => this.attempt()),
      (exit) => this.ended(exit)
    )
  }

  private attempt(): Result {
    const { bearers, operation } = this.shared
    if (operation.access === "credentials") return this.send(undefined)
    return Effect.flatMap(bearers.obtain(this.leftMillis()), (bearer) => this.sendWith(bearer))
  }

  private sendWith(bearer: bearers.Bearer | Failure): Result {
    return bearer._tag === "Failure" ? this.failed(bearer, undefined) : this.send(bearer)
  }

  private send(bearer: bearers.Bearer | undefined): Result {
    const { bodyLimit, operation, reader, root, tell, transport } = this.shared
    const { request, span } = this
    const headers: Record<string, string> = { ...request.headers }
    if (bearer !== undefined) headers["authorization"] = bearer.authorization
    if (span !== undefined) headers["traceparent"] = telemetry.traceparent(span)
    const timeoutMillis = retryLoop.attemptMillis(this.rules, this.state, this.now())
    this.state = retryLoop.sending(this.state)
    this.unauthorized = undefined
    tell.sent(this.fiber)
    const sent = transport.send({
      method: operation.method,
      origin: root.origin,
      path: root.path + request.target,
      headers,
      body: request.body,
      timeoutMillis,
      bodyLimit
    })
    return Effect.flatMap(sent, (result) => {
      const reading = reader.read(result, this.contextOf(bearer))
      if (span !== undefined) {
        telemetry.attempted(span, this.clock, this.state.sent, reading, reader.meta(reading))
      }
      return reading._tag === "Success" ? this.succeeded(reading) : this.failed(reading, bearer)
    })
  }

  private contextOf(bearer: bearers.Bearer | undefined): Context {
    const { request, shared } = this
    let sanitizer: sanitize.Sanitizer | undefined
    const make = () => {
      const texts = this.fiber.getFiberRef(sanitize.ofEarlier)
      const secrets = [...texts, ...shared.sensitive(request.payload)].map(sanitize.secret)
      return sanitize.make(bearer === undefined ? secrets : [...secrets, bearer.secret])
    }
    return {
      request,
      grantedScopes: bearer?.token.scopes ?? [],
      sanitizer: () => (sanitizer ??= make()),
      nowMillis: this.now(),
      bodyLimit: shared.bodyLimit
    }
  }

  private succeeded(success: Success): Result {
    const { budget, name, reader } = this.shared
    const { data, status } = success
    budget.earn()
    if (this.onResponse === undefined) return Effect.succeed(data)
    const { correlationId, resource } = reader.meta(success)
    try {
      this.onResponse({ status, correlationId, attempts: this.state.sent, ...resource })
    } catch (error) {
      // It must not turn a success into a failure.
      return Effect.as(Effect.logWarning(`${name}: onResponse threw`, error), data)
    }
    return Effect.succeed(data)
  }

  private failed(failure: Failure, bearer: bearers.Bearer | undefined): Result {
    return Effect.flatMap(Random.next, (chance) => {
      const nowMillis = this.now()
      const next = retryLoop.decide(this.rules, this.state, {
        fault: failure.fault,
        retryAfterMillis: failure.retryAfterMillis,
        hasToken: bearer !== undefined,
        other: otherIn(failure),
        nowMillis,
        chance,
        budgetMillis: this.shared.budget.waitMillis(nowMillis)
      })
      this.state = next.state
      if (next._tag === "Done") {
        // No time to renew the token, but the next call must not use it.
        const last =
          next.because === "deadline" && failure.fault === "UnauthorizedError"
            ? this.reportRejected(bearer)
            : Effect.void
        return Effect.zipRight(last, this.fail(orUnauthorized(failure, this.unauthorized), next))
      }
      if (next._tag === "Renew") this.unauthorized = failure
      this.shared.tell.retry(this.fiber, failure.fault)
      const wait =
        next._tag === "Renew" ? this.reportRejected(bearer) : this.pause(failure, next.afterMillis)
      return Effect.flatMap(wait, () => this.again(failure))
    })
  }

  /** Reports to its source that the service rejected this token. */
  private reportRejected(bearer: bearers.Bearer | undefined): Effect.Effect<void> {
    if (bearer === undefined) return Effect.void
    return this.shared.bearers.reject(
      bearer,
      retryLoop.attemptMillis(this.rules, this.state, this.now())
    )
  }

  private pause(failure: Failure, millis: number): Effect.Effect<void> {
    const { budget, root } = this.shared
    budget.take(this.now())
    const { message } = failure.toError(messages.retrying(root.origin, millis))
    const isNoticeable = this.now() - this.state.startedMillis + millis >= noticeableMillis
    return (isNoticeable ? Effect.logInfo(message) : Effect.logDebug(message)).pipe(
      Effect.zipRight(fibers.sleep(millis)),
      Effect.onInterrupt(() => Effect.sync(budget.giveBack))
    )
  }

  /**
   * Tries again, unless the deadline has passed: the machine may have slept, its clock may be set
   * forward, or the token source may be slow.
   */
  private again(failure: Failure): Result {
    return this.leftMillis() > 0
      ? this.attempt()
      : this.fail(failure, { _tag: "Done", because: "deadline", state: this.state })
  }

  private fail(failure: Failure, done: retryLoop.Done): Result {
    const error = Effect.suspend(() =>
      Effect.fail(
        withoutFrames(() => this.shared.conclude(this.request.key, done, failure, this.now()))
      )
    )
    return this.state.doubtful ? Effect.zipRight(turnForInterruption(), error) : error
  }

  private ended(exit: Exit.Exit<unknown, conclusion.CallError>): Effect.Effect<void> {
    const { name, operation, root, tell } = this.shared
    const { doubtful, inFlight, startedMillis } = this.state
    tell.ended(this.fiber, this.span, exit, this.now() - startedMillis)
    const isInterrupted = Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
    return operation.replay._tag !== "Safe" && isInterrupted && (doubtful || inFlight)
      ? Effect.logWarning(messages.interrupted(name, root.origin, this.request.key))
      : Effect.void
  }

  private now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }

  private leftMillis(): number {
    return retryLoop.leftMillis(this.rules, this.state, this.now())
  }
}

/**
 * Waits one turn of the event loop. When a process shuts down, the token source may fail this call just before the
 * call is interrupted. After one turn the interruption wins, and `ended` logs that the outcome of the write is
 * unknown.
 */
const turnForInterruption = (): Effect.Effect<void> => fibers.sleep(0)

/** After a 401, no new token came: the call ends with the 401, or with the failure of the token request if there was one. */
const orUnauthorized = (failure: Failure, unauthorized: Failure | undefined): Failure => {
  if (unauthorized === undefined || failure.fault !== "TokenUnavailableError") return failure
  const error = failure.toError()
  // With a cause, a token request failed: that error tells more.
  if (error.cause !== undefined) return failure
  return {
    ...unauthorized,
    toError: ({ facts = [], sentences = [] } = {}) =>
      unauthorized.toError({ facts, sentences: [`No new token: ${error.message}`, ...sentences] })
  }
}
