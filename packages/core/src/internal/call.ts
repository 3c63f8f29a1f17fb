/**
 * One call: the loop of attempts, from the encoded request to a decoded envelope or an error that
 * tells what became of it.
 */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import type * as BearerTokens from "../BearerTokens.js"
import * as Errors from "../Errors.js"
import type { IdempotencyKey } from "../IdempotencyKey.js"
import * as Issues from "../Issues.js"
import * as Operation from "../Operation.js"
import * as RetryPolicy from "../RetryPolicy.js"
import * as answer from "./answer.js"
import { asItIs } from "./asItIs.js"
import * as interruption from "./interruption.js"
import * as redact from "./redact.js"
import type { Encoded } from "./request.js"
import type { RetryBudget } from "./retryBudget.js"
import * as telemetry from "./telemetry.js"
import type { Exchange } from "./transport.js"
import * as unforeseen from "./unforeseen.js"

export interface Parameters {
  readonly name: string
  readonly operation: Operation.Operation
  readonly policy: RetryPolicy.RetryPolicy
  readonly budget: RetryBudget
  readonly exchange: Exchange
  readonly tokens: BearerTokens.Service | undefined
  readonly baseUrl: string
}

/** What a call knows of its attempts so far. */
interface Progress {
  readonly startedMillis: number
  /** Requests that were handed to the transport. */
  sent: number
  retries: number
  /** How long the latest attempt could take from when it was sent. */
  allowedMillis: number
  renewed: boolean
  /** Whether an attempt so far may have been applied, whatever the later ones said. */
  doubtful: boolean
  /** What is known of the operation by now. */
  outcome: RetryPolicy.Outcome
  /** Whether the source of tokens does not take back the one that was refused. */
  tokenIsLate: boolean
  /** The token of the latest attempt. */
  token: BearerTokens.BearerToken | undefined
}

/** A token, and its text: read once, since its source may wipe it while the request is under way. */
interface Bearer {
  readonly token: BearerTokens.BearerToken
  readonly text: string
}

/** The time of an attempt, and the end of the call's. */
interface Limits {
  readonly startedMillis: number
  readonly limitMillis: number
  readonly endMillis: number
}

export const compile = ({
  baseUrl,
  budget,
  exchange,
  name,
  operation,
  policy,
  tokens
}: Parameters) => {
  const { access, made, replay } = operation[Operation.TypeId]
  const decode = ParseResult.decodeUnknownEither(operation.successSchema)
  const members = answer.membersOf(operation.successSchema)
  const attemptMillis = Duration.toMillis(policy.attemptTimeout)
  const deadlineMillis = Duration.toMillis(policy.deadline)
  /** With less time than this a write would most likely end in doubt: it is not begun. */
  const leastMillis = replay._tag === "Safe" ? 0 : Math.min(attemptMillis, deadlineMillis) / 10
  const tell = telemetry.make({
    name,
    method: operation.method,
    template: operation.path,
    replay: replay._tag
  })

  const noToken = (why: string, late?: Errors.TimedOut) =>
    new Errors.TokenUnavailable(
      { operation: name, message: why, ...(late === undefined ? {} : { cause: late }) },
      asItIs
    )

  // What a source of tokens dies of is not shown: it may hold a secret.
  const authenticate: Effect.Effect<Bearer | undefined, Errors.TokenUnavailable> =
    access === "credentials"
      ? Effect.succeed(undefined)
      : tokens === undefined
        ? noToken(`${name} needs a bearer token, and this gateway was made without tokens.`)
        : Effect.suspend(() => tokens.get).pipe(
            Effect.map((token) => ({ token, text: Redacted.value(token.value) })),
            unforeseen.orElse(() =>
              noToken(
                `${name} was not sent: the source of its tokens died or was interrupted, or gave one that it had wiped.`
              )
            )
          )

  /**
   * One attempt: `limitMillis` for its token, and as long again for itself, as far as the call's own
   * time goes.
   */
  const attempt = (
    request: Encoded,
    progress: Progress,
    { endMillis, limitMillis, startedMillis }: Limits
  ) => {
    let more = 0
    let over = false
    const timer = Effect.sleep(limitMillis).pipe(
      Effect.zipRight(Effect.suspend(() => (more > 0 ? Effect.sleep(more) : Effect.void))),
      Effect.map(() => {
        over = true
        return outOfTime
      })
    )
    const own = Effect.gen(function* () {
      const bearer = yield* authenticate
      // Where nothing may interrupt, the token may come when nobody waits for this attempt any more.
      if (over) return outOfTime
      progress.token = bearer?.token
      if (bearer !== undefined && !isHeaderValue(bearer.text)) return answer.faulty(unfitToken())
      const span = yield* telemetry.currentSpan
      // What the token took is given back, and whatever the clock did meanwhile, no more than that.
      const nowMillis = yield* Clock.currentTimeMillis
      const tookMillis = Math.min(limitMillis, Math.max(0, nowMillis - startedMillis))
      more = Math.min(tookMillis, Math.max(0, endMillis - startedMillis - limitMillis))
      progress.allowedMillis = limitMillis - tookMillis + more
      if (progress.allowedMillis < leastMillis) return tokenless(deadlineMillis)
      yield* tell.sent
      progress.sent++
      progress.outcome = "unknown"
      const received = yield* exchange(toHttp(request, bearer, span))
      return answer.interpret(decode, received, {
        operation: name,
        access,
        grantedScopes: bearer?.token.scopes ?? [],
        redactor: () => redactorOf(request, bearer),
        subject: request.subject,
        members,
        madeIn: made.in,
        echoes: request.echoes,
        isWrite: replay._tag !== "Safe",
        nowMillis: yield* Clock.currentTimeMillis
      })
    }).pipe(
      Effect.catchTags({
        Broken: (broken) => Effect.succeed(answer.lost(broken, { operation: name })),
        TokenUnavailable: (error) => Effect.succeed(answer.faulty(error))
      })
    )
    // The caller goes on when the exchange has been let go, and not before. The timer can be ended
    // where the caller cannot; if the caller's interruption ends it first, the attempt still counts.
    // So does an answer that comes when the time is up.
    return Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime<answer.Answer | typeof outOfTime>((caller) =>
        Effect.raceWith(
          Effect.exit(restore(interruption.beginFor(caller)(own))),
          Effect.interruptible(timer),
          {
            onSelfDone: (exit, timer) =>
              Effect.zipRight(Fiber.interrupt(timer), Effect.flatten(exit)),
            onOtherDone: (exit, attempt) =>
              Exit.isSuccess(exit)
                ? Effect.map(Fiber.interrupt(attempt), (ended) =>
                    Exit.getOrElse(Exit.flatten(ended), () => outOfTime)
                  )
                : Effect.flatten(Effect.flatten(Fiber.await(attempt)))
          }
        )
      )
    )
  }

  /** It would be refused on this side of the network, in words that say nothing of tokens. */
  const unfitToken = () =>
    noToken(
      `${name} was not sent: the token has characters that no header may have, such as a line break.`
    )

  /** The attempt that was not made because its token did not come in time for it. */
  const tokenless = (waitedMillis: number): answer.Faulty =>
    answer.faulty(
      noToken(
        `${name} was not sent: no token came in time for it, within ${waitedMillis} ms.`,
        answer.timedOut(name, waitedMillis)
      )
    )

  /** From then on no attempt is begun. */
  const latestStart = ({ startedMillis }: Progress): number =>
    startedMillis + deadlineMillis - leastMillis

  const attempts = (request: Encoded, progress: Progress) =>
    Effect.gen(function* () {
      const endMillis = progress.startedMillis + deadlineMillis
      let previous: answer.Faulty | undefined
      for (;;) {
        const startedMillis = yield* Clock.currentTimeMillis
        if (startedMillis >= latestStart(progress)) {
          return yield* conclude(previous ?? tokenless(deadlineMillis), request, progress)
        }
        const limitMillis = Math.min(attemptMillis, endMillis - startedMillis)
        const sentBefore = progress.sent
        const result = yield* attempt(request, progress, {
          startedMillis,
          limitMillis,
          endMillis
        })
        const waitedForToken = result === outOfTime && progress.sent === sentBefore
        if (waitedForToken) {
          // After a 401 it was to be the attempt with another token, which does not come.
          if (previous?.fault === "Unauthorized") previous = undefined
          continue
        }

        const answered =
          result === outOfTime
            ? answer.faulty(answer.timedOut(name, progress.allowedMillis))
            : result
        learn(answered, progress)
        if (progress.sent > sentBefore) {
          yield* tell.attempted(
            progress.sent,
            answered._tag === "Readable" ? "Success" : answered.fault
          )
        }
        if (answered._tag === "Readable") {
          budget.earn(progress.retries > 0)
          return answered.envelope
        }
        const wait = yield* afterwards(answered, progress)
        // After a 401 whose token cannot be given back, no other token came.
        const isLate = answered.fault === "Unauthorized" && progress.tokenIsLate
        previous = isLate ? undefined : answered
        if (wait === undefined) return yield* conclude(answered, request, progress)
        if (wait > 0) yield* Effect.sleep(wait)
      }
    })

  /** Milliseconds to wait before the next attempt; `undefined` when there shall be none. */
  const afterwards = (faulty: answer.Faulty, progress: Progress) =>
    Effect.gen(function* () {
      const decision = RetryPolicy.decide(faulty.fault, replay)
      if (decision === "renew") {
        if (progress.renewed || progress.token === undefined || tokens === undefined) {
          return undefined
        }
        progress.renewed = true
        progress.tokenIsLate = !(yield* giveBack(tokens, progress.token, progress))
        yield* tell.retry(faulty.fault)
        return 0
      }
      if (decision === "stop" || progress.retries + 1 >= policy.attempts) return undefined
      const chance = yield* Random.next
      const wait = RetryPolicy.backoff(
        policy,
        progress.retries + 1,
        chance,
        retryAfterOf(faulty.error)
      )
      const nowMillis = yield* Clock.currentTimeMillis
      if (nowMillis + wait >= latestStart(progress) || !budget.take()) return undefined
      progress.retries++
      yield* tell.retry(faulty.fault)
      yield* unforeseen.ignore(
        Effect.logDebug(`${faulty.error.message.replace(/\.$/, "")}. Trying again in ${wait} ms.`)
      )
      return wait
    })

  /**
   * At once: there may be no time for another attempt, and others come to the same token. `false` when
   * it took as long as an attempt may.
   */
  const giveBack = (
    tokens: BearerTokens.Service,
    refused: BearerTokens.BearerToken,
    { startedMillis }: Progress
  ) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      Effect.suspend(() => tokens.reject(refused)).pipe(
        Effect.timeoutOption(
          Math.min(attemptMillis, Math.max(0, startedMillis + deadlineMillis - nowMillis))
        ),
        Effect.map(Option.isSome),
        // The next attempt asks the same source, and says so.
        unforeseen.orElse(() => Effect.succeed(true))
      )
    )

  /** The error that tells what became of the operation, over all of its attempts. */
  const conclude = (faulty: answer.Faulty, { key }: Encoded, progress: Progress) => {
    const { error } = faulty
    if (replay._tag === "Safe") return Effect.fail(error)
    if (faulty.fault === "UnreadableSuccess" && error._tag === "MalformedResponse") {
      return Effect.fail(appliedUnreadable(error, faulty.found, key))
    }
    return !progress.doubtful && isWriteError(error)
      ? Effect.fail(error)
      : Effect.fail(
          new Errors.OutcomeUnknown(
            {
              operation: name,
              message: outcomeUnknown(name, key, progress.sent, error.message),
              key,
              attempts: progress.sent,
              cause: error
            },
            asItIs
          )
        )
  }

  const toHttp = (request: Encoded, bearer: Bearer | undefined, span: Option.Option<Tracer.Span>) =>
    HttpClientRequest.make(operation.method)(baseUrl + request.target, {
      headers: {
        ...request.headers,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer.text}` }),
        ...Option.match(span, { onNone: () => ({}), onSome: traceparent }),
        accept: "application/json"
      },
      ...(request.body === undefined
        ? {}
        : { body: HttpBody.uint8Array(request.body, "application/json") })
    })

  return (request: Encoded): Effect.Effect<unknown, Errors.ReadError | Errors.WriteError> =>
    Effect.flatMap(Clock.currentTimeMillis, (startedMillis) => {
      const progress: Progress = {
        startedMillis,
        sent: 0,
        retries: 0,
        allowedMillis: 0,
        renewed: false,
        doubtful: false,
        outcome: "not applied",
        tokenIsLate: false,
        token: undefined
      }
      return attempts(request, progress).pipe(
        Effect.onExit((exit) =>
          Effect.flatMap(Clock.currentTimeMillis, (endedMillis) =>
            tell.end(outcomeOf(exit), endedMillis - startedMillis)
          )
        ),
        tell.span,
        // Outside of all else: an interruption that comes while the end is told counts, too.
        interruption.warn(() =>
          replay._tag === "Safe" || progress.outcome === "not applied"
            ? undefined
            : interrupted(name, progress.outcome, request.key)
        )
      )
    })
}

/** What an attempt ends with that has no answer by then. */
const outOfTime = "out of time"

/** A token is long and lives for many calls: its redactor is made once. */
const redactorsOfTokens = new WeakMap<BearerTokens.BearerToken, redact.Redactor>()

const redactorOf = (request: Encoded, bearer: Bearer | undefined): redact.Redactor => {
  const ofRequest = redact.make(request.sensitive())
  if (bearer === undefined) return ofRequest
  const known = redactorsOfTokens.get(bearer.token)
  const ofToken = known ?? redact.make([bearer.text])
  if (known === undefined) redactorsOfTokens.set(bearer.token, ofToken)
  return redact.both(ofToken, ofRequest)
}

const retryAfterOf = (error: Errors.ReadError): number | undefined =>
  "retryAfterMillis" in error ? error.retryAfterMillis : undefined

/** A refusal speaks of its own attempt only: a doubt about an earlier one stays. */
const learn = (answered: answer.Answer, progress: Progress): void => {
  const outcome =
    answered._tag === "Readable" ? "applied" : RetryPolicy.table[answered.fault].outcome
  if (outcome === "unknown") progress.doubtful = true
  progress.outcome = outcome === "not applied" && progress.doubtful ? "unknown" : outcome
}

const isWriteError = Schema.is(Errors.WriteError)

const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const traceparent = (span: Tracer.Span): { readonly traceparent?: string } => {
  const { traceparent } = HttpTraceContext.toHeaders(span)
  // Where tracing is off, Effect's spans have words for ids.
  return traceparent === undefined || !/^[0-9a-f]{32}$/.test(span.traceId) ? {} : { traceparent }
}

const appliedUnreadable = (
  { correlation_id, issues, operation, status }: Errors.MalformedResponse,
  found: answer.Faulty["found"],
  key: IdempotencyKey | undefined
): Errors.AppliedUnreadable => {
  const names = Object.entries(found ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`]
  )
  return new Errors.AppliedUnreadable({
    operation,
    message:
      `${operation} was applied, and its answer cannot be read` +
      (names.length === 0 ? "" : ` (${names.join(", ")})`) +
      `: ${Issues.print(issues)}. Do not send it again.${keyIs(key)}`,
    status,
    correlation_id,
    issues,
    key,
    ...found
  })
}

const outcomeUnknown = (
  name: string,
  key: IdempotencyKey | undefined,
  sent: number,
  last: string
): string =>
  `${name}: it is not known whether it was applied, after ${sent} attempt${sent === 1 ? "" : "s"}. ` +
  (key === undefined
    ? "It has no key: find out what became of it before sending it again. "
    : `Send the same request again under the same key, ${key}. `) +
  `Last: ${last}`

const interrupted = (
  name: string,
  outcome: "applied" | "unknown",
  key: IdempotencyKey | undefined
): string =>
  `${name} ${outcome === "applied" ? "was applied" : "was sent, and may have been applied"}, ` +
  `and its caller was interrupted.${keyIs(key)}`

const keyIs = (key: IdempotencyKey | undefined): string =>
  key === undefined ? "" : ` Its key is ${key}.`

const outcomeOf = (exit: Exit.Exit<unknown, Errors.ReadError | Errors.WriteError>): string =>
  Exit.match(exit, {
    onSuccess: () => "Success",
    onFailure: (cause) =>
      Cause.failureOption(cause).pipe(
        Option.match({
          onNone: () => (Cause.isInterrupted(cause) ? "Interrupted" : "Defect"),
          onSome: ({ _tag }) => _tag
        })
      )
  })
