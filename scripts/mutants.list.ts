// Deliberate faults in the client, as edits of its source: each has to be noticed.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** The test files that look at this part of the client. */
  readonly tests: ReadonlyArray<string>
}

/** Tests are named by package and file: `core/Retry`. */
const inFile =
  (file: string, ...tests: ReadonlyArray<string>) =>
  (name: string, find: string, replace: string): Mutant => ({
    name,
    file: `packages/${file}`,
    find,
    replace,
    tests: tests.map((test) => `packages/${test.replace("/", "/test/")}.test.ts`)
  })

const inAmount = inFile("core/src/Amount.ts", "core/Amount", "core/Answer")
const inBearer = inFile("core/src/internal/bearer.ts", "core/Retry", "core/Request", "core/Secrecy")
const inCall = inFile(
  "core/src/internal/call.ts",
  "core/Retry",
  "core/Interruption",
  "core/Secrecy",
  "core/Request",
  "core/Telemetry"
)
const inCards = inFile("cards/src/Cards.ts", "cards/Cards", "sandbox/Echoes")
const inCardsApi = inFile("cards/src/CardsApi.ts", "sandbox/Echoes", "sandbox/Interface")
const inGuard = inFile(
  "core/src/internal/guard.ts",
  "sandbox/Guards",
  "core/Answer",
  "core/Request"
)
const inConclusion = inFile(
  "core/src/internal/conclusion.ts",
  "core/Retry",
  "core/Answer",
  "core/KeyReused",
  "core/Interruption"
)
const inGateway = inFile("core/src/Gateway.ts", "core/RetryBudget", "core/Retry", "core/Request")
const inKey = inFile("core/src/IdempotencyKey.ts", "core/IdempotencyKey")
const inLinks = inFile("payment-links/src/PaymentLinks.ts", "payment-links/PaymentLinks")
const inLinksApi = inFile(
  "payment-links/src/PaymentLinksApi.ts",
  "payment-links/PaymentLinks",
  "sandbox/Interface"
)
const inMetadata = inFile("core/src/Metadata.ts", "core/Metadata", "sandbox/Tricks")
const inPagination = inFile("core/src/Pagination.ts", "core/Pagination")
const inPayments = inFile(
  "payments/src/Payments.ts",
  "payments/Create",
  "payments/Polling",
  "payments/Payments"
)
const inPayout = inFile("payouts/src/Payout.ts", "payouts/Create", "payouts/Payouts")
const inPayouts = inFile("payouts/src/Payouts.ts", "payouts/Create", "payouts/Payouts")
const inPayoutsApi = inFile(
  "payouts/src/PayoutsApi.ts",
  "payouts/Create",
  "sandbox/Echoes",
  "sandbox/Interface"
)
const inPermits = inFile("core/src/internal/permits.ts", "core/Permits", "payments/Polling")
const inDoubt = inFile("core/src/internal/step.ts", "core/Interruption")
const inFirstRead = inFile("core/src/internal/call.ts", "sandbox/Interruptions")
const inLostBody = inFile("core/src/internal/response.ts", "core/Loopback", "core/Connections")
const inReasons = inFile("core/src/RetryPolicy.ts", "core/KeyReused", "sandbox/Echoes")
const inPolicy = inFile("core/src/RetryPolicy.ts", "core/Step", "core/Retry")
const inPollingLoop = inFile("core/src/internal/pollingLoop.ts", "core/Polling", "payments/Polling")
const inRequest = inFile("core/src/internal/request.ts", "core/Request", "payments/Create")
const inResponse = inFile("core/src/internal/response.ts", "core/Answer", "core/Retry")
const inResponseChecks = inFile(
  "core/src/internal/responseChecks.ts",
  "core/Answer",
  "core/KeyReused",
  "payouts/Create",
  "sandbox/Echoes",
  "cards/Cardholders"
)
const inBudget = inFile("core/src/internal/retryBudget.ts", "core/RetryBudget")
const inRootUrl = inFile("core/src/internal/rootUrl.ts", "core/Request")
const inSanitize = inFile("core/src/internal/sanitize.ts", "core/Secrecy", "core/Answer")
const inSensitive = inFile("core/src/Sensitive.ts", "core/Secrecy", "payments/Create")
const inPolling = inFile(
  "core/src/Polling.ts",
  "payments/Polling",
  "core/Polling",
  "payouts/Payouts"
)
const inStep = inFile("core/src/internal/step.ts", "core/Step", "core/Retry", "core/KeyReused")
const inTimer = inFile(
  "core/src/internal/timer.ts",
  "core/Retry",
  "core/UndiciClient",
  "core/Loopback",
  "core/Exit"
)
const inToken = inFile(
  "token/src/Token.ts",
  "token/Token",
  "token/Secrecy",
  "sandbox/OverloadTokens"
)
const inTransport = inFile(
  "core/src/Transport.ts",
  "core/Connections",
  "core/Interruption",
  "core/Loopback"
)
const inUndici = inFile(
  "core/src/UndiciClient.ts",
  "core/Connections",
  "core/UndiciClient",
  "core/Loopback",
  "core/Exit"
)

/** A success that each operation can take for its own. */
const plausible = {
  id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
  reference: "PAY-234567ABCDEF",
  status: "COMPLETED",
  amount: "1",
  currency: "XOF",
  card: { id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d", issuance_reference: "card" },
  data: [],
  total: 0
}

export const mutants: ReadonlyArray<Mutant> = [
  // -----------------------------------------------------------------------------------------------
  // The key
  // -----------------------------------------------------------------------------------------------
  inCall(
    "mint the key anew for each attempt",
    "= { ...request.headers }",
    `= { ...request.headers, ...("idempotency-key" in request.headers ? { "idempotency-key": String(Math.random()) } : {}) }`
  ),
  inCall(
    "drop the key of a payment",
    "= { ...request.headers }",
    `= Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "idempotency-key"))`
  ),
  inPayouts(
    "one key for all payouts",
    `headers: { "idempotency-key": key }`,
    `headers: { "idempotency-key": "payout" as typeof key }`
  ),
  inPayouts(
    "cut a payout's key to 100 characters",
    `headers: { "idempotency-key": key }`,
    `headers: { "idempotency-key": key.slice(0, 100) as typeof key }`
  ),
  inRequest(
    "cut a header to 100 characters",
    "headers[name] = value\n",
    "headers[name] = value.slice(0, 100)\n"
  ),
  inCards(
    "a card's key of its own making",
    "idempotency_key: key }",
    `idempotency_key: (key + "-card") as typeof key }`
  ),
  inRequest(
    "forget the key in the error",
    "return hasKeyForm(key) ? key : undefined",
    "return hasKeyForm(key) ? undefined : undefined"
  ),
  inConclusion(
    "an unknown outcome without its key",
    "      key,\n      attempts: state.sent,",
    "      attempts: state.sent,"
  ),
  inConclusion(
    "applied, and no longer under its key",
    "    key,\n    ...found\n",
    "    ...found\n"
  ),
  inKey(
    "one random key for all",
    "Effect.sync(() => crypto.randomUUID())",
    "Effect.succeed(crypto.randomUUID())"
  ),
  inKey(
    "one key for two operations that are split otherwise",
    `parts.map(escape).join(":")`,
    `parts.join(":")`
  ),
  inKey(
    "one key for two long operations that are split otherwise",
    "JSON.stringify(parts)",
    `parts.join("")`
  ),
  inKey(
    "one key for all operations that begin alike",
    "whole && readable.length <= maxLengthInBody ? readable : digested(readable, parts)",
    "readable.slice(0, maxLengthInBody)"
  ),

  // -----------------------------------------------------------------------------------------------
  // What is asked for
  // -----------------------------------------------------------------------------------------------
  inPayouts(
    "pay from another wallet",
    `headers: { "idempotency-key": key }, payload }`,
    `headers: { "idempotency-key": key }, payload: { ...payload, wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d" as never } }`
  ),
  inPayouts(
    "pay someone else",
    `headers: { "idempotency-key": key }, payload }`,
    `headers: { "idempotency-key": key }, payload: { ...payload, destination: "+2290100000000" } }`
  ),
  inPayments(
    "collect as a deposit",
    `collect: createAndAwait("COLLECTION")`,
    `collect: createAndAwait("DEPOSIT")`
  ),
  inPayments(
    "let the request say which operation it is",
    "create({ ...request, operation }, options, onCreated)",
    "create({ operation, ...request } as never, options, onCreated)"
  ),
  inCards(
    "let the request say the card's key",
    "{ ...request, idempotency_key: key }",
    "{ idempotency_key: key, ...request } as never"
  ),
  inRequest(
    "let a class's toJSON say what is sent",
    "const copy: Record<string, unknown> = { ...input }",
    "const copy = input as Record<string, unknown>"
  ),
  inRequest(
    "let the toJSON of a member's class say what is sent",
    "if (guard.isRecord(member)) copy[name] = { ...member }",
    ""
  ),
  inRequest(
    "send members that the interface does not show",
    `guard.compile(schema, "refuse")`,
    `guard.compile(schema, "pass")`
  ),
  inRequest(
    "send a request that breaks a rule",
    "guard.isRecord(members) && fits(members)",
    "guard.isRecord(members) && (fits(members) || true)"
  ),
  inRequest(
    "let a query parameter be given twice",
    "if (Object.hasOwn(own, name) && own[name] !== undefined) {",
    "if (own === undefined) {"
  ),
  inRequest(
    "a path parameter that leads elsewhere",
    "path += encodeURIComponent(value)",
    "path += value"
  ),
  inRequest(
    "let a path parameter climb",
    `(value === "" || value === "." || value === ".." || !isWellFormed(value))`,
    `(value === "" || !isWellFormed(value))`
  ),
  inRequest("accept compressed answers", `    "accept-encoding": "identity",\n`, ""),
  inMetadata(
    "metadata that JSON drops without a word",
    "if (!isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return false",
    ""
  ),
  inMetadata(
    "let a toJSON in metadata say what is sent",
    `if ("toJSON" in value && typeof value.toJSON === "function") return false`,
    ""
  ),
  inRootUrl(
    "send tokens without TLS",
    `url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))`,
    `url.protocol === "https:" || url.protocol === "http:"`
  ),
  inRootUrl(
    "take a host whose name ends like this machine's for this machine",
    `hostname.endsWith(".localhost")`,
    `hostname.endsWith("localhost")`
  ),

  // -----------------------------------------------------------------------------------------------
  // Guards
  // -----------------------------------------------------------------------------------------------
  inGuard(
    "look at no optional member",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "mayBeAbsent || guard(value[name])"
  ),
  inGuard(
    "let a required member be left out",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] === undefined || guard(value[name])"
  ),
  inGuard(
    "take null for any member",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] === undefined ? mayBeAbsent : value[name] === null || guard(value[name])"
  ),
  inGuard(
    "take null for a member that is left out",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] == null ? mayBeAbsent : guard(value[name])"
  ),
  inGuard(
    "look at no member of a value that has the shape of the one before",
    "name !== names[i] || guards[i]?.(value[name]) !== true",
    "name !== names[i]"
  ),
  inGuard(
    "look at no name of a value when the members of the one before fit",
    "name !== names[i] || guards[i]?.(value[name]) !== true",
    "guards[i]?.(value[name]) !== true"
  ),
  inGuard(
    "take a value that lacks the last members of the one before",
    "return i === names.length || lookUp(value)",
    "return i <= names.length || lookUp(value)"
  ),
  inGuard("remember the shape of a value that does not fit", "if (fits) shape =", "shape ="),
  inGuard("look at the first row only", "!item(value[i])", "i === 0 && !item(value[i])"),
  inGuard(
    "look at no row",
    "? array(guardOf(item.type, excess))",
    "? (value) => Array.isArray(value)"
  ),
  inGuard(
    "look at no struct within a struct",
    "guard: guardOf(withoutUndefined(type), excess),",
    `guard: withoutUndefined(type)._tag === "TypeLiteral" ? isRecord : guardOf(withoutUndefined(type), excess),`
  ),
  inGuard(
    "take excess members within a struct",
    "guard: guardOf(withoutUndefined(type), excess),",
    `guard: guardOf(withoutUndefined(type), "pass"),`
  ),
  inGuard(
    "take excess members",
    `(excess === "pass" || Object.keys(value).every((name) => guards.has(name)))`,
    "guards !== undefined"
  ),
  inGuard(
    "look at no pattern",
    `return (value) => typeof value === "string" && regex.test(value)`,
    `return (value) => typeof value === "string"`
  ),
  inGuard(
    "look at no rule of a text",
    `return (value) => typeof value === "string" && holds(value)`,
    `return (value) => typeof value === "string"`
  ),
  inGuard(
    "look at no rule of a number",
    "return (value) => from(value) && holds(value)",
    "return (value) => from(value)"
  ),
  inGuard(
    "take a number for a text",
    `const isString: Guard = (value) => typeof value === "string"`,
    `const isString: Guard = (value) => typeof value === "string" || typeof value === "number"`
  ),
  inGuard(
    "take any value for a literal",
    "return (value) => value === literal",
    "return (value) => typeof value === typeof literal"
  ),
  inGuard(
    "take a list for an object",
    `typeof value === "object" && value !== null && !Array.isArray(value)`,
    `typeof value === "object" && value !== null`
  ),
  inGuard(
    "look at the first two of three kinds",
    "return (value) => first(value) || second(value) || third(value)",
    "return (value) => first(value) || second(value)"
  ),

  // -----------------------------------------------------------------------------------------------
  // What is sent again
  // -----------------------------------------------------------------------------------------------
  inPolicy(
    "retry Once after a lost connection",
    `ConnectionLost: rule("unknown", "retry", "retry", "stop")`,
    `ConnectionLost: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after a timeout",
    `TimeoutError: rule("unknown", "retry", "retry", "stop")`,
    `TimeoutError: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after a 5xx",
    `ServerError: rule("unknown", "retry", "retry", "stop")`,
    `ServerError: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after a 408",
    `RequestTimeout: rule("unknown", "retry", "retry", "stop")`,
    `RequestTimeout: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "retry Once after an answer that is no envelope",
    `NotAnEnvelope: rule("unknown", "retry", "retry", "stop")`,
    `NotAnEnvelope: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "never retry a write",
    `ServerError: rule("unknown", "retry", "retry", "stop")`,
    `ServerError: rule("unknown", "retry", "stop", "stop")`
  ),
  inPolicy(
    "never retry what was not sent",
    `NotSent: rule("notApplied", "retry", "retry", "retry")`,
    `NotSent: rule("notApplied", "retry", "retry", "stop")`
  ),
  inLinksApi(
    "take the making of a link for a read",
    "export const create = Operation.once({",
    "export const create = Operation.safe({"
  ),
  inStep(
    "one attempt more than the policy allows",
    "if (retries >= policy.attempts)",
    "if (retries > policy.attempts)"
  ),
  inTransport("follow redirects", `redirect: "manual"`, `redirect: "follow"`),

  // -----------------------------------------------------------------------------------------------
  // Whether it was sent
  // -----------------------------------------------------------------------------------------------
  inTransport(
    "take every broken connection for one that never was",
    `_tag: isNotSent ? "NotSent" : "Lost"`,
    `_tag: isNotSent ? "NotSent" : "NotSent"`
  ),
  inTransport(
    "take a refused connection for a lost one",
    `syscall === "connect" || syscall === "getaddrinfo"`,
    `syscall === "getaddrinfo"`
  ),
  inTransport(
    "one address that was never reached speaks for all",
    "failures.every(isBeforeSending)",
    "failures.some(isBeforeSending)"
  ),
  inTransport(
    "take a reset for a connection that never was",
    `  "UND_ERR_CONNECT_TIMEOUT",\n`,
    `  "UND_ERR_CONNECT_TIMEOUT",\n  "ECONNRESET",\n`
  ),
  inTransport(
    "take an error after the answer for a request that was not sent",
    `error._tag === "RequestError" && failures.length > 0`,
    "failures.length > 0"
  ),
  inTransport(
    "a client that dies has sent nothing",
    `{ _tag: "Lost", code: "CLIENT_DIED" }`,
    `{ _tag: "NotSent", code: "CLIENT_DIED" } as never`
  ),
  inUndici(
    "UndiciClient: a lost connection has sent nothing",
    "else if (this.status === 0) this.end(lost)",
    `else if (this.status === 0) this.end({ _tag: "NotSent", code })`
  ),
  inUndici(
    "UndiciClient: take a refused connection for a lost one",
    `if (this.controller === undefined) this.end({ _tag: "NotSent", code })`,
    "if (this.controller === undefined) this.end(lost)"
  ),
  inUndici(
    "UndiciClient: a timeout has sent nothing",
    `this.controller === undefined\n          ?`,
    `this.status === 0\n          ?`
  ),
  inUndici(
    "UndiciClient: a timeout before a connection has sent it",
    `this.controller === undefined\n          ?`,
    `this.controller === null\n          ?`
  ),
  inUndici(
    "UndiciClient: send later what was given up",
    "    if (this.isFinal) controller.abort(aborted)\n",
    ""
  ),
  inUndici(
    "UndiciClient: a dispatcher that throws has sent nothing",
    `this.end({ _tag: "Lost", code: "CLIENT_DIED" })`,
    `this.end({ _tag: "NotSent", code: "CLIENT_DIED" })`
  ),
  inDoubt("no doubt while a request is under way", ", doubtful: true })", " })"),

  // -----------------------------------------------------------------------------------------------
  // What is said of it
  // -----------------------------------------------------------------------------------------------
  inPolicy(
    "call a 409 not applied",
    `ConflictError: rule("unknown",`,
    `ConflictError: rule("notApplied",`
  ),
  inPolicy(
    "call a 408 not applied",
    `RequestTimeout: rule("unknown",`,
    `RequestTimeout: rule("notApplied",`
  ),
  inPolicy(
    "call a timeout not applied",
    `TimeoutError: rule("unknown",`,
    `TimeoutError: rule("notApplied",`
  ),
  inPolicy(
    "call a lost connection not applied",
    `ConnectionLost: rule("unknown",`,
    `ConnectionLost: rule("notApplied",`
  ),
  inPolicy(
    "call a 5xx not applied",
    `ServerError: rule("unknown",`,
    `ServerError: rule("notApplied",`
  ),
  inPolicy(
    "call an unexpected status not applied",
    `UnexpectedStatusError: rule("unknown",`,
    `UnexpectedStatusError: rule("notApplied",`
  ),
  inPolicy(
    "call an answer that is no envelope not applied",
    `NotAnEnvelope: rule("unknown",`,
    `NotAnEnvelope: rule("notApplied",`
  ),
  inPolicy(
    "call an answer that is too large not applied",
    `TooLarge: rule("unknown",`,
    `TooLarge: rule("notApplied",`
  ),
  inPolicy(
    "call an unreadable success unknown, and send it again",
    `UnreadableSuccess: rule("applied", "stop", "stop", "stop")`,
    `UnreadableSuccess: rule("unknown", "retry", "retry", "retry")`
  ),
  inReasons(
    "call the answer to another write applied",
    `reason === "DataMisfit"`,
    `reason === "DataMisfit" || reason === "AnotherSubject"`
  ),
  inResponse(
    "take a 409 for a success",
    "    const isSuccess = status >= 200 && status < 300\n",
    `    if (status === 409 && operation.access !== "credentials") return { _tag: "Success", data: ${JSON.stringify(plausible)} }\n    const isSuccess = status >= 200 && status < 300\n`
  ),
  inResponse(
    "take a redirect for a success",
    "const isSuccess = status >= 200 && status < 300",
    "const isSuccess = status >= 200 && status < 400"
  ),
  inResponse(
    "believe success: true under an error",
    "if (!isSuccess && !(status >= 400 && says === true)) return",
    "if (!isSuccess) return"
  ),
  inResponse(
    "believe a 2xx that says success: false",
    "if (says !== isSuccess) return",
    "if (!isSuccess && says !== isSuccess) return"
  ),
  inLostBody(
    "take a success whose body is lost for a refusal",
    `if (parsed._tag === "Lost") return unanswered(name, origin, parsed)`,
    `if (parsed._tag === "Lost") return refused({ ...answered, status: 422 }, value, context)`
  ),
  inLostBody(
    "take a success whose body is lost for a request that was not sent",
    `if (parsed._tag === "Lost") return unanswered(name, origin, parsed)`,
    `if (parsed._tag === "Lost") return unanswered(name, origin, { ...parsed, _tag: "NotSent" })`
  ),
  inResponse("take bytes that are no text", `{ fatal: true }`, `{ fatal: false }`),
  inResponse(
    "take an answer that breaks its schema",
    `if (fits(data)) return { _tag: "Success", data }`,
    `if (fits(data) || data !== undefined) return { _tag: "Success", data }`
  ),
  inConclusion(
    "call an unknown outcome a failure",
    "if (!state.doubtful && RetryPolicy",
    "if (RetryPolicy"
  ),
  inConclusion(
    "call every unknown outcome a failure",
    `  if (!state.doubtful && RetryPolicy.table[failure.fault].outcome === "notApplied") return error\n`,
    "  if (state.sent >= 0) return error\n"
  ),
  inStep("forget a doubt about an earlier attempt", "doubtful: before.doubtful || ", "doubtful: "),
  inCall(
    "forget a doubt when the next answer comes",
    "{ ...before, sent: state.sent },",
    "{ ...before, sent: state.sent, doubtful: false },"
  ),
  inCall("doubt whatever was answered", "{ ...before, sent: state.sent },", "state,"),
  inFirstRead(
    "say nothing of what was created when the interruption comes at once",
    "        onSuccess?.(response.data)\n",
    ""
  ),
  inConclusion(
    "lose the id of an unreadable success",
    "    key,\n    ...found\n",
    "    key,\n    id: undefined, reference: found.reference\n"
  ),
  inCall(
    "call a success after a retry unknown",
    "        return Effect.succeed(response.data)\n",
    `        return state.retries > 0 && replay._tag !== "Safe"
          ? Effect.fail(conclude(name, replay, request.key, state, "rule", tokenTooLate(name, 0, undefined)))
          : Effect.succeed(response.data)\n`
  ),
  inConclusion("count the attempts wrongly", "attempts: state.sent,", "attempts: state.retries,"),
  inCall(
    "interrupt a write in silence",
    `return replay._tag !== "Safe" && state.doubtful && isInterrupted(exit)`,
    "return state.sent < 0"
  ),
  inCall(
    "warn of an interrupted write without its key",
    "interrupted(name, request.key)",
    "interrupted(name, undefined)"
  ),
  inCall(
    "warn of what was certainly not applied",
    `state.doubtful && isInterrupted(exit)`,
    `isInterrupted(exit)`
  ),
  inCall(
    "an interruption that joins a failure passes in silence",
    "Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)",
    "Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) && Cause.isEmpty(exit.cause)"
  ),
  inCall(
    "count every end as a success",
    `if (Exit.isSuccess(exit)) return "Success"`,
    `if (Exit.isExit(exit)) return "Success"`
  ),

  // -----------------------------------------------------------------------------------------------
  // A key that was used before
  // -----------------------------------------------------------------------------------------------
  inStep(
    "never see that a key was used before",
    "other !== undefined && other === before.other",
    "other !== undefined && other !== other"
  ),
  inStep(
    "take the first answer to another request for a used key",
    "other !== undefined && other === before.other",
    "other !== undefined"
  ),
  inStep(
    "take two different answers for a used key",
    "other !== undefined && other === before.other",
    "other !== undefined && before.other !== undefined"
  ),
  inStep(
    "forget the other resource when something comes between",
    "other: other ?? before.other",
    "other"
  ),
  inConclusion(
    "a used key under an earlier doubt is unknown",
    `if (because === "key reused" && key !== undefined)`,
    `if (because === "key reused" && key === undefined)`
  ),

  // -----------------------------------------------------------------------------------------------
  // Whose answer it is
  // -----------------------------------------------------------------------------------------------
  inResponse(
    "take a read of another payment",
    "checks.isAbout(request, data) === false || differs.length > 0",
    "differs.length > 0"
  ),
  inResponse(
    "take the answer to another write",
    "checks.isAbout(request, data) === false || differs.length > 0",
    "checks.isAbout(request, data) === false"
  ),
  inResponseChecks(
    "look for nothing that differs",
    "return different.length === 0 ? nothing",
    "return different.length >= 0 ? nothing"
  ),
  inResponseChecks(
    "take the answer to another's payout",
    "undefined : own === other",
    "undefined : true"
  ),
  inResponseChecks("tell beneficiaries apart by four digits", "/\\d{8}$/.exec", "/\\d{4}$/.exec"),
  inResponseChecks(
    "take a key for the same in another case",
    "text: (sent, back) => sent === back",
    "text: (sent, back) => sent.toLowerCase() === back.toLowerCase()"
  ),
  inResponseChecks(
    "compare amounts by their first digits",
    "Amount.Equivalence(sent, back)",
    "Number.parseInt(sent, 10) === Number.parseInt(back, 10)"
  ),
  inResponseChecks(
    "take any currency",
    "code: (sent, back) => sent === back ||",
    "code: (sent, back) => sent.length === back.length ||"
  ),
  inPayoutsApi(
    "compare no beneficiary",
    `{ field: "currency", as: "code" },\n      { field: "destination", as: "phone" }`,
    `{ field: "currency", as: "code" }`
  ),
  inPayoutsApi("compare no amount of a payout", `      { field: "amount", as: "amount" },\n`, ""),
  inCardsApi(
    "compare no key of a card",
    `      { field: "idempotency_key", member: "issuance_reference", as: "text" },\n`,
    ""
  ),
  inAmount(
    "compare amounts as floats",
    "self === that || canonical(self) === canonical(that)",
    "Number(self) === Number(that)"
  ),
  inAmount(
    "amounts with another number of zeros differ",
    "self === that || canonical(self) === canonical(that)",
    "self === that"
  ),
  inAmount(
    "order amounts as floats",
    "order.mapInput(BigDecimal.Order, toBigDecimal)",
    "order.mapInput(order.number, Number)"
  ),
  inAmount(
    "round an amount",
    `replace(/(\\.[0-9]{4})0+$/, "$1")`,
    `replace(/(\\.[0-9]{4})[0-9]+$/, "$1")`
  ),
  inResponseChecks(
    "take any misfit for applied",
    "if (!canShow || isAbout(request, data) === true) return true",
    "return true"
  ),
  inResponseChecks(
    "take a misfit with the same amount for applied",
    "(compared.length > 0 && compared.every(same))",
    "compared.some(same)"
  ),
  inResponseChecks(
    "never call a misfit applied",
    "(compared.length > 0 && compared.every(same))",
    "compared.length < 0"
  ),
  inResponseChecks(
    "stop at a misfit that may be another's",
    "(request.subject !== undefined && members.has(nameOf(request.subject)))",
    "false"
  ),
  inResponseChecks(
    "stop at a token's answer that may be another's",
    `access === "credentials" ||`,
    ""
  ),

  // -----------------------------------------------------------------------------------------------
  // What dies
  // -----------------------------------------------------------------------------------------------
  inBearer(
    "end with a source of tokens that dies",
    ",\n        Effect.catchAllCause(() => Effect.succeed(died))",
    ""
  ),
  inBearer(
    "end with a source of tokens that dies as it is asked what it holds",
    "        return died\n",
    "        throw new Error()\n"
  ),
  inBearer(
    "end with a source of tokens that is interrupted",
    "Effect.catchAllCause(() => Effect.succeed(died))",
    "Effect.catchAllDefect(() => Effect.succeed(died))"
  ),
  inBearer(
    "end with what a token is given back to",
    ",\n        Effect.catchAllCause(() => Effect.void)",
    ""
  ),
  inBearer(
    "wait for ever for what a token is given back to",
    "        Effect.timeoutOption(Math.max(0, limitMillis)),\n",
    ""
  ),
  inBearer("wait for a token for ever", "Effect.timeoutOption(leftMillis),", "Effect.asSome,"),
  inBearer(
    "wait for a token for ever where nothing may interrupt",
    "tokens.get).pipe(\n        Effect.interruptible,",
    "tokens.get).pipe("
  ),
  inTransport(
    "end with a client that dies",
    "Effect.succeed(Exit.getOrElse(exit, () => died))",
    "exit"
  ),

  // -----------------------------------------------------------------------------------------------
  // Waits, deadlines, budgets
  // -----------------------------------------------------------------------------------------------
  inCall(
    "ignore Retry-After",
    "retryAfterMillis: failure.retryAfterMillis,",
    "retryAfterMillis: undefined,"
  ),
  inResponse("take Retry-After for milliseconds", "Number(form) * 1000", "Number(form)"),
  inResponse(
    "take the first of several Retry-After",
    "Math.max(0, ...millis)",
    "Math.max(0, millis[0] ?? 0)"
  ),
  inResponse(
    "take any words for a Retry-After",
    "!retryAfterForm.test(form)\n      ? NaN",
    "form === undefined\n      ? NaN"
  ),
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
  inPolicy(
    "come back at once after Retry-After",
    "retryAfterMillis + chance * base",
    "retryAfterMillis"
  ),
  inStep(
    "sleep beyond the deadline",
    `  if (pauseMillis >= left) return done("deadline")
  const afterMillis = Math.max(pauseMillis, failed.budgetMillis)
  if (afterMillis >= left) return done("budget")\n`,
    "  const afterMillis = Math.max(pauseMillis, failed.budgetMillis)\n"
  ),
  inCall(
    "begin an attempt after the machine slept beyond the deadline",
    "step.leftMillis(rules, state, now()) > 0 ? loop :",
    "step.leftMillis(rules, state, now()) > -Infinity ? loop :"
  ),
  inStep(
    "begin a write without time for its answer",
    "Math.min(attemptMillis, deadlineMillis) / 10",
    "Math.min(attemptMillis, deadlineMillis) / 1e9"
  ),
  inStep(
    "no limit for one attempt",
    "  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)",
    "  1000 * Math.max(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)"
  ),
  inStep(
    "a clock that is set back gives a call more time",
    "Math.max(0, nowMillis - startedMillis)",
    "(nowMillis - startedMillis)"
  ),
  inStep(
    "an attempt may outlast its call",
    "  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)",
    "  rules.attemptMillis"
  ),
  inStep(
    "never begin a write whose caller gives it little time",
    ": rulesOf(rules.policy, rules.replay, millis)",
    ": { ...rules, deadlineMillis: millis }"
  ),
  inCall(
    "take the time of the token from the attempt",
    "timeoutMillis: step.attemptMillis(rules, state, now())",
    "timeoutMillis: step.attemptMillis(rules, state, now()) - (state.sent === 1 ? now() - startedMillis : 0)"
  ),
  inCall(
    "let a call take longer than its caller gives it",
    "step.within(policyRules, timeoutMillis)",
    "policyRules"
  ),
  inCall(
    "send with a token that came too late",
    "if (step.leftMillis(rules, state, now()) > 0) return send(bearer)",
    "if (rules !== undefined) return send(bearer)"
  ),
  inCall("retries without a budget", "budgetMillis: budget.waitMillis(now())", "budgetMillis: 0"),
  inCall("retries that cost nothing", "      budget.take(now())\n", ""),
  inCall(
    "keep the turn of a retry that was interrupted",
    ",\n        Effect.onInterrupt(() => Effect.sync(budget.giveBack))",
    ""
  ),
  inBudget(
    "a turn that is given back makes two",
    "left = Math.min(capacity, left + 1)",
    "left = Math.min(capacity, left + 2)"
  ),
  inBudget("a budget that never runs dry", "      left -= 1\n", ""),
  inBudget(
    "a success earns a whole retry",
    "const earnedPerSuccess = 0.1",
    "const earnedPerSuccess = 1"
  ),
  inBudget(
    "a budget that time does not refill",
    "left = Math.min(capacity, left + (nowMillis - atMillis) * perMilli)",
    "left = Math.min(capacity, left)"
  ),
  inBudget(
    "a budget that grows with time",
    "left = Math.min(capacity, left + (nowMillis - atMillis) * perMilli)",
    "left = left + (nowMillis - atMillis) * perMilli"
  ),
  inBudget(
    "a budget that a clock drains as it is set back",
    "if (nowMillis > atMillis && atMillis !== -Infinity)",
    "if (atMillis !== -Infinity)"
  ),
  inStep(
    "fail when the budget is empty",
    `if (afterMillis >= left) return done("budget")`,
    `if (failed.budgetMillis > 0) return done("budget")`
  ),
  inStep(
    "wait for the budget in place of Retry-After",
    "Math.max(pauseMillis, failed.budgetMillis)",
    "failed.budgetMillis > 0 ? failed.budgetMillis : pauseMillis"
  ),
  inGateway(
    "reads take the retries of writes",
    `operation.replay._tag === "Safe" ? budgets.reads : budgets.writes`,
    "budgets.writes"
  ),
  inGateway(
    "a budget for each operation",
    `operation.replay._tag === "Safe" ? budgets.reads : budgets.writes`,
    "retryBudget.make(policy.budget)"
  ),
  inGateway("no limit of its own for a loop around calls", "{ ...policy, attempts }", "policy"),
  inTimer(
    "a pause that outlives its call",
    "return Effect.onInterrupt(sleeper.sleep(millis), () => Effect.sync(sleeper.cancel))",
    "return sleeper.sleep(millis)"
  ),
  inTimer("a long deadline ends at once", "Math.min(millis, longestMillis)", "millis"),
  inTimer("a timer that goes on", "return () => clearTimeout(timer)", "return () => undefined"),
  inTimer(
    "a timer of another clock than the fiber's",
    "if (clock.sleep !== realSleep) {",
    "if (clock.sleep === undefined) {"
  ),

  // -----------------------------------------------------------------------------------------------
  // Bodies and connections
  // -----------------------------------------------------------------------------------------------
  inTransport(
    "read the first chunk of a body only",
    "if (Either.isLeft(pulled)) return",
    "if (Either.isLeft(pulled) || chunks.length > 0) return"
  ),
  inTransport(
    "read bodies without a limit",
    "if (size > limit || announced > limit) return",
    "if (size < 0) return"
  ),
  inTransport(
    "read what a client derived from UndiciClient gives without a limit",
    "Context.add(withoutRedirects(context), BodyLimit, request.bodyLimit)",
    "withoutRedirects(context)"
  ),
  inTransport(
    "believe the length that a compressed body announces",
    `encoding === "identity" && /^`,
    `encoding !== "" && /^`
  ),
  inTransport(
    "cut a body at the limit, and read it",
    `if (size > limit || announced > limit) return "TooLarge" as const`,
    "if (size > limit || announced > limit) return join(chunks, size - chunk.byteLength)"
  ),
  inTransport(
    "take a body that breaks off for an empty one",
    `error.reason === "EmptyBody"`,
    `error.reason !== "StatusCode"`
  ),
  inUndici(
    "UndiciClient: cut a body at the limit, and read it",
    "if (this.size > this.request.bodyLimit) this.tooLarge(controller)",
    "if (this.size > this.request.bodyLimit) this.answer(join(this.chunks, this.size - chunk.byteLength))"
  ),
  inUndici(
    "UndiciClient: read bodies without a limit",
    "if (this.size > this.request.bodyLimit) this.tooLarge(controller)",
    "if (this.size > Infinity) this.tooLarge(controller)"
  ),
  inUndici(
    "UndiciClient: read on beyond the limit",
    `    this.answer("TooLarge")\n    controller.abort(aborted)\n`,
    `    this.answer("TooLarge")\n`
  ),
  inUndici(
    "UndiciClient: take a body that breaks off for whole",
    "else this.answer(lost)",
    "else this.answer(join(this.chunks, this.size))"
  ),
  inUndici(
    "UndiciClient: forget the status when a body breaks off",
    "else this.answer(lost)",
    "else this.end(lost)"
  ),
  inUndici(
    "UndiciClient: take an interim answer for the answer",
    "    if (status < 200) return\n",
    ""
  ),
  inUndici(
    "UndiciClient: abort nothing when the caller is interrupted",
    "() => Effect.sync(() => exchange.abort())",
    "() => Effect.void"
  ),
  inUndici(
    "UndiciClient: abort nothing at the deadline",
    "      )\n      this.abort()\n",
    "      )\n"
  ),
  inUndici(
    "UndiciClient: a deadline that outlives its answer",
    "    this.cancelDeadline?.()\n    this.result = result\n",
    "    this.result = result\n"
  ),
  inUndici(
    "UndiciClient: a deadline that outlives its caller",
    "    this.cancelDeadline?.()\n    this.controller?.abort(aborted)\n",
    "    this.controller?.abort(aborted)\n"
  ),
  inTransport(
    "go on before the exchange is let go",
    "() => Fiber.interrupt(child)",
    "() => Fiber.interruptFork(child)"
  ),
  inTransport(
    "abort nothing when the caller is interrupted",
    "() => Fiber.interrupt(child)",
    "() => Effect.void"
  ),
  inTransport(
    "never let the connection go",
    "isRead(exit) ? Effect.void : Scope.close(scope, exit)",
    "Effect.void"
  ),
  inTransport(
    "let the connection go of an answer that is too large, and of no other",
    "isRead(exit) ? Effect.void : Scope.close(scope, exit)",
    "Exit.isSuccess(exit) ? Scope.close(scope, exit) : Effect.void"
  ),
  inTransport(
    "abort nothing at the deadline",
    "              child.unsafeInterruptAsFork(FiberId.none)\n",
    ""
  ),

  // -----------------------------------------------------------------------------------------------
  // Tokens
  // -----------------------------------------------------------------------------------------------
  inBearer(
    "one token's header for all tokens",
    "const known = bearers.get(token)",
    "const known = bearers.get(((globalThis as { first?: object }).first ??= token) as typeof token)"
  ),
  inBearer(
    "send a token that no header may have",
    "  if (!/^[\\x21-\\x7e]+$/.test(text)) return undefined\n",
    ""
  ),
  inCall("never renew a token", "return Effect.zipRight(giveBack(bearer), loop)", "return loop"),
  inCall(
    "keep a token that was refused when no time is left",
    `decided.because === "deadline" && failure.fault === "UnauthorizedError"`,
    `decided.because === "deadline" && failure.fault === "ForbiddenError"`
  ),
  inStep("renew a token for ever", "{ ...state, renewed: true }", "{ ...state }"),
  inStep(
    "renew a token twice in a call",
    "{ ...state, renewed: true }",
    "{ ...state, renewed: before.sent > 1 }"
  ),
  inToken(
    "cache a failed token",
    "            request = undefined\n            return Deferred.done(own, exit)",
    "            if (exit._tag === 'Success') request = undefined\n            return Deferred.done(own, exit)"
  ),
  inToken(
    "renew per caller",
    "return request === undefined ? Effect.flatMap(begin, Deferred.await) : Deferred.await(request)",
    "request = undefined\n      return Effect.flatMap(begin, Deferred.await)"
  ),
  inToken(
    "use a token beyond its end",
    "if (current !== undefined && nowMillis < current.expiresMillis) {",
    "if (current !== undefined) {"
  ),
  inToken(
    "hold a token beyond its end",
    "current !== undefined && nowMillis < current.renewMillis ?",
    "current !== undefined ?"
  ),
  inToken(
    "hold a token until its end, and renew it then",
    "current !== undefined && nowMillis < current.renewMillis ?",
    "current !== undefined && nowMillis < current.expiresMillis ?"
  ),
  inToken(
    "keep a token that was refused",
    "        if (youngRefusals > 1) failedMillis = nowMillis\n        current = undefined\n",
    "        if (youngRefusals > 1) failedMillis = nowMillis\n"
  ),
  inToken(
    "drop whatever token is held",
    "if (current?.token !== token) return\n",
    "if (current === undefined) return\n"
  ),
  inToken(
    "never forget the refusals of young tokens",
    "youngRefusals = young ? youngRefusals + 1 : 0",
    "youngRefusals = young ? youngRefusals + 1 : youngRefusals"
  ),
  inToken(
    "storm the service with tokens that it refuses",
    "youngRefusals = young ? youngRefusals + 1 : 0",
    "youngRefusals = 0"
  ),
  inToken(
    "storm a service that gives no token",
    "      failures++\n      failedMillis = nowMillis\n",
    "      failedMillis = nowMillis\n"
  ),
  inToken("a renewal that its caller's interruption ends", "Effect.forkIn(scope),", "Effect.fork,"),
  inToken("a renewal that the end of its scope cannot stop", "        Effect.interruptible,\n", ""),
  inToken(
    "use a token of another environment",
    "options.environment !== undefined && options.environment !== token.environment",
    "options.environment !== undefined && options.environment === undefined"
  ),

  // -----------------------------------------------------------------------------------------------
  // Secrets
  // -----------------------------------------------------------------------------------------------
  inSanitize(
    "look for a secret as it was typed alone",
    "secrets.map(normalize)",
    "secrets.map(lowerCase)"
  ),
  inSanitize(
    "redact nothing",
    "isTooLong ? redacted : wanted.length === 0 ? text : withoutSecrets(text, pieces, short)",
    "text"
  ),
  inSanitize("redact no short code", "pieces, short)\n", "pieces, [])\n"),
  inSanitize("look for a code with its zeros alone", "[secret, number]", "[secret]"),
  inSanitize(
    "look for whole secrets only",
    "new Set(wanted.flatMap(piecesOf))",
    "new Set(wanted.flatMap((secret) => piecesOf(secret).slice(0, 1)))"
  ),
  inSanitize(
    "cut before redaction",
    "const begun = redact(text.slice(0, length * 4))",
    "const begun = redact(text.slice(0, length))"
  ),
  inSanitize(
    "escape nothing",
    "const text = (long: string): string => escape(begin(long, textLength))",
    "const text = (long: string): string => begin(long, textLength)"
  ),
  inSanitize("cut nothing", "const textLength = 500", "const textLength = 1e9"),
  inSanitize("count no values", "if (left-- <= 0) break\n", ""),
  inSanitize("redact no identifier", "return isKept ? name : text(name)", "return name"),
  inSanitize("redact every identifier", "return isKept ? name : text(name)", "return text(name)"),
  inSanitize(
    "redact no number",
    "redact(String(value)) === String(value) ? value : redacted",
    "value"
  ),
  inCall(
    "hide nothing of the request",
    "sanitize.make([...request.sensitive(), ",
    "sanitize.make(["
  ),
  inCall("hide no token", "...(bearer === undefined ? [] : [bearer.text])", ""),
  inSensitive(
    "hide no member that may be null",
    `    case "Union":\n      return ast.types.flatMap((member) => collect(member, value))\n`,
    ""
  ),
  inPayout(
    "do not hide a beneficiary",
    "destination: Schema.String.pipe(Sensitive.mark),\n  metadata",
    "destination: Schema.String,\n  metadata"
  ),
  inPayouts(
    "show a beneficiary to whoever prints a payout",
    "{ destination: Redacted.make(destination) }",
    "{ destination: destination as never }"
  ),
  inResponse("name every fault of a long answer", `? "first" : "all"`, `? "all" : "all"`),

  // -----------------------------------------------------------------------------------------------
  // Waiting and reading
  // -----------------------------------------------------------------------------------------------
  inPolling("take PENDING for settled", `status !== "PENDING"`, `status !== ""`),
  inPolling(
    "leave a wait in silence",
    "        seen === undefined\n          ? Effect.void",
    "        seen !== null\n          ? Effect.void"
  ),
  inPolling(
    "print what a wait has read",
    "{ value: last, enumerable: false }",
    "{ value: last, enumerable: true }"
  ),
  inPolling(
    "lose what was created when its wait ends",
    "            created,\n            (cause, last) =>",
    "            undefined,\n            (cause, last) =>"
  ),
  inPolling(
    "say that what was made was not when its read is refused",
    "(cause, last) => notFollowed(own.id, sanitizer().text(cause.message), { last, cause })",
    "(cause) => cause as never"
  ),
  inPolling(
    "lose what was created when what looks at it throws",
    "onNone: () =>\n                Effect.fail(",
    "onNone: () =>\n                Effect.die("
  ),
  inPolling("forget what was last read", "          own.last = value\n", ""),
  inPolling(
    "make a payment whose wait cannot be begun",
    "issues.length === 0 ? Either.right(plan)",
    "issues.length >= 0 ? Either.right(plan)"
  ),
  inPolling(
    "no limit for the reads of all waits",
    "permits.make(concurrentReads)",
    "permits.make(Infinity)"
  ),
  inPolling(
    "keep the permit of a read for as long as Retry-After says",
    "reads.withPermit(subject.read(id, { timeoutMillis: leftMillis }))",
    `reads.withPermit(Effect.tapError(subject.read(id, { timeoutMillis: leftMillis }), (cause) => Effect.sleep("retryAfterMillis" in cause ? (cause.retryAfterMillis ?? 0) : 0)))`
  ),
  inPolling(
    "a read may outlast its wait",
    "subject.read(id, { timeoutMillis: leftMillis })",
    "subject.read(id, {})"
  ),
  inPolling(
    "wait for a permit beyond the deadline",
    "reads.isFree() ? Effect.asSome(own) : Effect.timeoutOption(own, leftMillis)",
    "Effect.asSome(own)"
  ),
  inPolling(
    "show any text as a status",
    `/^[A-Za-z][A-Za-z _-]{0,39}$/.test(status) ?`,
    "status !== undefined ?"
  ),
  inPolling("a pause that outlives its wait", "          reader.cancel()\n", ""),
  inPolling(
    "a pause that outlives its stream",
    "Effect.zipRight(Effect.sync(reader.cancel), Metric.modify(waitsInFlight, -1))",
    "Metric.modify(waitsInFlight, -1)"
  ),
  inPollingLoop(
    "wait beyond the deadline",
    "clock.unsafeCurrentTimeMillis() + plan.deadlineMillis",
    "clock.unsafeCurrentTimeMillis() + 10 * plan.deadlineMillis"
  ),
  inPollingLoop(
    "give up at the first read that fails",
    "return lags || isPassing(cause)",
    "return lags"
  ),
  inPollingLoop(
    "read on though a read was refused",
    "return lags || isPassing(cause)",
    "return lags || cause !== undefined"
  ),
  inPollingLoop(
    "take a read that lags for the end of a wait",
    `progress.isCreated && cause._tag === "NotFoundError"`,
    "false"
  ),
  inPollingLoop(
    "wait for what is not there",
    `progress.isCreated && cause._tag === "NotFoundError"`,
    `cause._tag === "NotFoundError"`
  ),
  inPollingLoop(
    "poll before Retry-After",
    "Math.max(drawn, retryAfterOf(progress.cause))",
    "drawn"
  ),
  inPollingLoop(
    "pauses that do not grow",
    "Math.min(progress.pauseMillis * factor, capMillis)",
    "progress.pauseMillis"
  ),
  inPollingLoop("pauses without chance", "(0.5 + chance / 2)", "1"),
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
  inPagination("leave out the last page", "page * size >= total", "(page + 1) * size >= total"),
  inPagination(
    "go on behind the page that failed",
    "            page,\n            cause\n",
    "            page: page + 1,\n            cause\n"
  ),
  inPagination(
    "take the first page for every page",
    "read.current_page !== undefined && read.current_page !== page",
    "read.current_page !== undefined && read.current_page < 0"
  ),
  inLinks("take a link that somebody has used", "isUntouched(link) &&\n", "\n"),
  inLinks("take a link that was made before", "isMadeSince(link, sought.since) &&\n", "\n"),
  inLinks(
    "take another buyer's link",
    "isSame(link.metadata ?? {}, metadata)",
    "isSame(metadata, metadata)"
  )
]
