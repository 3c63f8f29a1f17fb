// Deliberate faults in the client, as edits of its source: each has to be noticed.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

const inFile =
  (file: string) =>
  (name: string, find: string, replace: string): Mutant => ({ name, file, find, replace })

const inCall = inFile("packages/core/src/internal/call.ts")
const inAnswer = inFile("packages/core/src/internal/answer.ts")
const inRequest = inFile("packages/core/src/internal/request.ts")
const inTransport = inFile("packages/core/src/internal/transport.ts")
const inPolicy = inFile("packages/core/src/RetryPolicy.ts")
const inBudget = inFile("packages/core/src/internal/retryBudget.ts")
const inSettlement = inFile("packages/core/src/Settlement.ts")
const inPagination = inFile("packages/core/src/Pagination.ts")
const inPermits = inFile("packages/core/src/internal/permits.ts")
const inInterruption = inFile("packages/core/src/internal/interruption.ts")
const inUnforeseen = inFile("packages/core/src/internal/unforeseen.ts")
const inRedact = inFile("packages/core/src/internal/redact.ts")
const inToken = inFile("packages/token/src/Token.ts")
const inPayments = inFile("packages/payments/src/Payments.ts")
const inPayouts = inFile("packages/payouts/src/Payouts.ts")
const inCards = inFile("packages/cards/src/Cards.ts")

/** A success that each operation can take for its own. */
const plausible = {
  success: true,
  data: {
    id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
    reference: "PAY-234567ABCDEF",
    status: "COMPLETED",
    amount: "1",
    currency: "XOF",
    card: { id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d", issuance_reference: "card" },
    data: [],
    total: 0
  }
}

export const mutants: ReadonlyArray<Mutant> = [
  // The key and the bytes
  inCall(
    "mint the key anew for each attempt",
    "        ...request.headers,\n",
    `        ...request.headers,\n        ...("idempotency-key" in request.headers ? { "idempotency-key": String(Math.random()) } : {}),\n`
  ),
  inCall(
    "drop the key of a payment",
    "        ...request.headers,\n",
    `        ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "idempotency-key")),\n`
  ),
  inPayouts(
    "pay from another wallet",
    `calls.create({ headers: { "idempotency-key": key }, payload })`,
    `calls.create({ headers: { "idempotency-key": key }, payload: { ...payload, wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d" as never } })`
  ),
  inPayouts(
    "one key for all payouts",
    `headers: { "idempotency-key": key }`,
    `headers: { "idempotency-key": "payout" as typeof key }`
  ),
  inPayouts(
    "pay someone else",
    `headers: { "idempotency-key": key }, payload })`,
    `headers: { "idempotency-key": key }, payload: { ...payload, destination: "+2290100000000" } })`
  ),
  inCards(
    "a card's key of its own making",
    "idempotency_key: key }",
    `idempotency_key: (key + "-card") as typeof key }`
  ),
  inRedact("look for a number as it was typed alone", "...forms(digits)", "...forms(value)"),
  inRequest(
    "forget the key in the error",
    "return isKey(key) ? key : undefined",
    "return isKey(key) ? undefined : undefined"
  ),
  // What is sent again
  inPolicy(
    "retry Once after a lost connection",
    `ConnectionLost: rule("unknown", "retry", "retry", "stop")`,
    `ConnectionLost: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after a timeout",
    `TimedOut: rule("unknown", "retry", "retry", "stop")`,
    `TimedOut: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after a 5xx",
    `ServerFault: rule("unknown", "retry", "retry", "stop")`,
    `ServerFault: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after an answer that is no envelope",
    `NotAnEnvelope: rule("unknown", "retry", "retry", "stop")`,
    `NotAnEnvelope: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "never retry a write",
    `ServerFault: rule("unknown", "retry", "retry", "stop")`,
    `ServerFault: rule("unknown", "retry", "stop", "stop")`
  ),
  inTransport(
    "take every broken connection for one that never was",
    "    sent: !(",
    "    sent: false && !("
  ),
  // What is said of it
  inPolicy(
    "treat 409 as not applied",
    `Conflict: rule("unknown",`,
    `Conflict: rule("not applied",`
  ),
  inAnswer(
    "treat 409 as success",
    "  const { status } = received\n  const succeeded = status >= 200 && status < 300\n",
    `  const { status } = received\n  if (status === 409 && context.access !== "credentials") return { _tag: "Readable", envelope: ${JSON.stringify(plausible)} }\n  const succeeded = status >= 200 && status < 300\n`
  ),
  inCall(
    "call an unknown outcome a failure",
    "return !progress.doubtful && isWriteError(error)",
    "return isWriteError(error)"
  ),
  inCall(
    "forget a doubt about an earlier attempt",
    `if (outcome === "unknown") progress.doubtful = true`,
    `progress.doubtful = outcome === "unknown"`
  ),
  inPolicy(
    "call a timeout not applied",
    `TimedOut: rule("unknown",`,
    `TimedOut: rule("not applied",`
  ),
  inPolicy(
    "call a lost connection not applied",
    `ConnectionLost: rule("unknown",`,
    `ConnectionLost: rule("not applied",`
  ),
  inPolicy(
    "call a 5xx not applied",
    `ServerFault: rule("unknown",`,
    `ServerFault: rule("not applied",`
  ),
  inPolicy(
    "call an unreadable success unknown, and send it again",
    `UnreadableSuccess: rule("applied", "stop", "stop", "stop")`,
    `UnreadableSuccess: rule("unknown", "retry", "retry", "retry")`
  ),
  inCall(
    "lose the id of an unreadable success",
    "    key,\n    ...found\n",
    "    key,\n    id: undefined, reference: found.reference\n"
  ),
  inAnswer(
    "believe success: true under an error",
    "const contradicts = status >= 400 && saysSuccess(value) === true",
    "const contradicts = false"
  ),
  inAnswer(
    "believe a 2xx that says success: false",
    "if (says !== succeeded) return",
    "if (!succeeded && says !== succeeded) return"
  ),
  inAnswer(
    "take the answer to another write",
    "compared.filter(({ same }) => same === false)",
    'compared.filter(({ same }) => same === false && context.operation === "")'
  ),
  inAnswer("take the answer to another's payout", "own === other", "true"),
  inCall(
    "take a token that is late for one that is refused",
    `if (previous?.fault === "Unauthorized") previous = undefined`,
    ""
  ),
  inCall(
    "end with a source of tokens that is interrupted",
    "unforeseen.orElse(() =>\n              noToken(",
    "Effect.catchAllDefect(() =>\n              noToken("
  ),
  inCall(
    "end with what a token is given back to",
    "unforeseen.orElse(() => Effect.succeed(true))",
    "Effect.tap(() => Effect.void)"
  ),
  inTransport(
    "end with a client that interrupts itself",
    "unforeseen.orElse(() => Effect.fail(died))",
    "Effect.catchAllDefect(() => Effect.fail(died))"
  ),
  inUnforeseen("end with whatever dies", "instead(cause),", "Effect.failCause(cause) as never,"),
  inCall(
    "call a success after a retry unknown",
    "return answered.envelope",
    `return progress.retries > 0 && replay._tag !== "Safe"
            ? yield* new Errors.OutcomeUnknown({ operation: name, message: "", key: request.key, attempts: progress.sent, cause: answer.timedOut(name, 0) })
            : answered.envelope`
  ),
  inCall(
    "count the attempts wrongly",
    "            attempts: progress.sent,",
    "            attempts: progress.retries,"
  ),
  inCall(
    "interrupt a write in silence",
    `replay._tag === "Safe" || progress.outcome === "not applied"`,
    "progress.sent >= 0"
  ),
  // Waits, deadlines, budgets
  inCall("ignore Retry-After", "        retryAfterOf(faulty.error)\n", "        undefined\n"),
  inAnswer(
    "take Retry-After for milliseconds",
    "return Number(header) * 1000",
    "return Number(header)"
  ),
  inCall(
    "one attempt more than the policy allows",
    "progress.retries + 1 >= policy.attempts",
    "progress.retries >= policy.attempts"
  ),
  inCall(
    "sleep beyond the deadline",
    "nowMillis + wait >= latestStart(progress) || !budget.take()",
    "!budget.take()"
  ),
  inCall(
    "no limit for one attempt",
    "const limitMillis = Math.min(attemptMillis, endMillis - startedMillis)",
    "const limitMillis = Math.max(attemptMillis, endMillis - startedMillis) * 1000"
  ),
  inCall(
    "take the time of the token from the attempt",
    "more = Math.min(tookMillis,",
    "more = 0 * Math.min(tookMillis,"
  ),
  inTransport(
    "read the first chunk of a body only",
    "if (Either.isLeft(pulled)) return",
    "if (Either.isLeft(pulled) || chunks.length > 0) return"
  ),
  inTransport("read bodies without a limit", "size > limit || announced > limit", "size < 0"),
  inCall(
    "retries without a budget",
    "|| !budget.take()) return",
    "|| (budget.take(), false)) return"
  ),
  inBudget("a budget that never runs dry", "      left -= 1\n", ""),
  inBudget(
    "a success earns a whole retry",
    "const earnedPerSuccess = 0.1",
    "const earnedPerSuccess = 1"
  ),
  // Tokens
  inToken(
    "cache a failed token",
    "            request = undefined\n            return Deferred.done(own, exit)",
    "            if (exit._tag === 'Success') request = undefined\n            return Deferred.done(own, exit)"
  ),
  inToken("renew per caller", "if (request !== undefined) return Effect.succeed(request)", ""),
  inToken(
    "use a token beyond its end",
    "if (held !== undefined && nowMillis < held.expiresMillis) {",
    "if (held !== undefined) {"
  ),
  inToken(
    "keep a token that was refused",
    "        if (youngRefusals > 1) failedMillis = nowMillis\n        held = undefined\n",
    "        if (youngRefusals > 1) failedMillis = nowMillis\n"
  ),
  inToken(
    "drop whatever token is held",
    "        if (held?.token !== token) return\n",
    "        if (held === undefined) return\n"
  ),
  inToken("a renewal that its caller's interruption ends", "        Effect.interruptible,\n", ""),
  inCall(
    "never renew a token",
    "        progress.tokenIsLate = !(yield* giveBack(tokens, progress.token, progress))\n",
    ""
  ),
  inCall("renew for ever", "        progress.renewed = true\n", ""),
  // Whose answer it is
  inAnswer(
    "take a read of another payment",
    "isAsked === false",
    'isAsked === false && context.operation === ""'
  ),
  inAnswer(
    "take any misfit for applied",
    "!canShow(context) || isAsked || isTied(compared)",
    "!canShow(context) || context.isWrite || isAsked || isTied(compared)"
  ),
  inAnswer(
    "stop at a misfit that may be another's",
    "(subject !== undefined && members.has(nameOf(subject)))",
    "false"
  ),
  inAnswer(
    "stop at a token's answer that may be another's",
    `access === "credentials" || `,
    `access === ("none" as string) || `
  ),
  inAnswer(
    "name every fault of a long answer",
    `isLong ? "first" : "all"`,
    `isLong ? "all" : "all"`
  ),
  inCall("applied, and no longer under its key", "    key,\n    ...found\n", "    ...found\n"),
  // When to try
  inPolicy(
    "back off without a pause",
    "const jittered = chance * ceiling",
    "const jittered = 0 * ceiling"
  ),
  inPolicy(
    "back off without chance",
    "const jittered = chance * ceiling",
    "const jittered = ceiling"
  ),
  inCall(
    "begin a write without time for its answer",
    "Math.min(attemptMillis, deadlineMillis) / 10",
    "Math.min(attemptMillis, deadlineMillis) / 1e9"
  ),
  // Waiting and reading
  inSettlement("take PENDING for settled", `status !== "PENDING"`, `status !== ""`),
  inSettlement(
    "lose what was created when its wait ends",
    "      let last = created\n",
    "      let last: A | undefined\n"
  ),
  inSettlement(
    "leave a wait in silence",
    "          interruption.warn(\n",
    "          interruption.warn(() => undefined as string | undefined), ((_: () => string) => <A>(a: A) => a)(\n"
  ),
  inSettlement(
    "wait without a deadline",
    "          if (left <= 0) {",
    "          if (left <= -Infinity) {"
  ),
  inSettlement(
    "give up at the first read that fails",
    "if (!lags && !RetryPolicy.isPassing(cause))",
    "if (cause._tag !== 'InvalidRequest')"
  ),
  inSettlement(
    "take a read that lags for the end of a wait",
    `created !== undefined && cause._tag === "NotFound"`,
    "false"
  ),
  inPermits(
    "keep a permit that comes with an interruption",
    "granted ? Effect.zipRight(release, gone) : gone",
    "granted ? gone : gone"
  ),
  inPermits(
    "keep the permit of what fails",
    "Effect.ensuring(restore(effect), release)",
    "Effect.zipLeft(restore(effect), release)"
  ),
  inInterruption(
    "an interruption that joins a failure passes in silence",
    "Effect.onExit(effect, (exit) => {",
    "Effect.onInterrupt(effect, () => { const exit = Exit.void"
  ),
  inInterruption(
    "an attempt that another interrupts passes in silence",
    "isInterrupted(fiber) || Exit.isInterrupted(exit)",
    "isInterrupted(fiber)"
  ),
  inInterruption(
    "send for a caller that has gone",
    "mayBe && isInterrupted(parent)",
    "mayBe && parent === undefined"
  ),
  inCall(
    "throw away an answer that comes when the time is up",
    "Exit.getOrElse(Exit.flatten(ended), () => outOfTime)",
    "ended._tag === 'Success' ? outOfTime : outOfTime"
  ),
  inInterruption(
    "say nothing where nothing may interrupt",
    "isInterrupted(fiber) || Exit.isInterrupted(exit)",
    "Exit.isInterrupted(exit)"
  ),
  inUnforeseen("end with a tracer that throws", "put(inner),", "put(effect),"),
  inTransport(
    "wait for the end of a body that is not read",
    "          return isRead\n",
    "          return isRead || !isRead\n"
  ),
  inRequest("leave out what a class gives", "encode(own(input))", "encode(input)"),
  inToken(
    "a request for a token ends with its first caller's children",
    "        Effect.locally(FiberRef.currentSupervisor, Supervisor.none),\n",
    ""
  ),
  inCall("send with a token that came too late", "if (over) return outOfTime", ""),
  inTransport(
    "end with a client that throws",
    "      unforeseen.orElse(() => Effect.fail(died)),\n",
    ""
  ),
  inPagination("leave out the last page", "page * size >= total", "(page + 1) * size >= total"),
  inPayments(
    "collect as a deposit",
    `collect: createAndAwait("COLLECTION")`,
    `collect: createAndAwait("DEPOSIT")`
  ),
  inTransport(
    "never let the connection go",
    "      Effect.scoped,\n",
    "      Effect.scoped,\n      Effect.uninterruptible,\n"
  )
]
