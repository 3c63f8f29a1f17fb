// Mutants of the client, as edits of its source. The simulation or the tests must detect each of them.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** A snippet that occurs in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** The test files of this part of the client. */
  readonly tests: ReadonlyArray<string>
}

/** Tests are named by package and file: `core/Retry`, or `core/prove/Exit`. */
const inFile =
  (file: string, ...tests: ReadonlyArray<string>) =>
  (name: string, find: string, replace: string): Mutant => ({
    name,
    file: `packages/${file}`,
    find,
    replace,
    tests: tests.map(
      (test) => `packages/${test.includes("/prove/") ? test : test.replace("/", "/test/")}.test.ts`
    )
  })

const inAmount = inFile("core/src/Amount.ts", "core/Amount", "core/Answer")
const inBearer = inFile(
  "core/src/internal/bearer.ts",
  "core/Retry",
  "core/Request",
  "core/Secrecy",
  "core/Interruption"
)
const inCall = inFile(
  "core/src/internal/call.ts",
  "core/Retry",
  "core/Interruption",
  "core/Secrecy",
  "core/Request",
  "core/Telemetry",
  "core/RetryBudget",
  "core/CallOptions"
)
const inAttempt = inFile(
  "core/src/internal/attempt.ts",
  "core/Retry",
  "core/Interruption",
  "core/Secrecy",
  "core/Request",
  "core/Telemetry"
)
const inTelemetry = inFile("core/src/internal/telemetry.ts", "core/Telemetry")
const inErrors = inFile("core/src/Errors.ts", "core/Retry")
const inCallPolicy = inFile(
  "core/src/internal/policy.ts",
  "core/CallOptions",
  "core/Polling",
  "payments/Polling"
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
const inFirstRead = inFile("core/src/internal/call.ts", "sandbox/prove/Interruptions")
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
  "core/src/internal/fiber.ts",
  "core/Retry",
  "core/UndiciClient",
  "core/Loopback",
  "core/prove/Exit",
  "core/Connections"
)
const inToken = inFile(
  "token/src/Token.ts",
  "token/Token",
  "token/Secrecy",
  "sandbox/prove/OverloadTokens"
)
const inTokenState = inFile("token/src/internal/state.ts", "token/Token")
const inTransport = inFile(
  "core/src/internal/httpClient.ts",
  "core/Connections",
  "core/Interruption",
  "core/Loopback"
)
const inSent = inFile("core/src/internal/transport.ts", "core/Connections", "core/Interruption")
const inBounds = inFile("core/src/internal/transport.ts", "core/Answer")
const inBodies = inFile("core/src/internal/httpClient.ts", "core/Answer")
const inFetch = inFile("core/src/FetchClient.ts", "core/Loopback", "core/Connections")
const inUndici = inFile(
  "core/src/UndiciClient.ts",
  "core/Connections",
  "core/UndiciClient",
  "core/Loopback",
  "core/prove/Exit"
)

/** A success that every operation accepts. */
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
  inAttempt(
    "generate a new key for each attempt",
    "= { ...request.headers }",
    `= { ...request.headers, ...("idempotency-key" in request.headers ? { "idempotency-key": String(Math.random()) } : {}) }`
  ),
  inAttempt(
    "drop the key of a payment",
    "= { ...request.headers }",
    `= Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "idempotency-key"))`
  ),
  inPayouts(
    "one key for all payouts",
    `"idempotency-key": options?.key }`,
    `"idempotency-key": "payout" as NonNullable<typeof options>["key"] }`
  ),
  inPayouts(
    "truncate the key of a payout to 100 characters",
    `"idempotency-key": options?.key }`,
    `"idempotency-key": options?.key.slice(0, 100) as NonNullable<typeof options>["key"] }`
  ),
  inRequest(
    "truncate headers to 100 characters",
    "headers[name] = value\n",
    "headers[name] = value.slice(0, 100)\n"
  ),
  inCards(
    "generate the key of a card",
    "idempotency_key: options?.key }",
    `idempotency_key: (options?.key + "-card") as NonNullable<typeof options>["key"] }`
  ),
  inRequest(
    "omit the key from the error",
    "return hasKeyForm(key) ? key : undefined",
    "return hasKeyForm(key) ? undefined : undefined"
  ),
  inConclusion(
    "omit the key from an unknown outcome",
    "new Errors.OutcomeUnknown({ ...unknown, key }, withoutValidation)",
    "new Errors.UnkeyedOutcomeUnknown(unknown, withoutValidation)"
  ),
  inConclusion(
    "omit the key from AppliedUnreadable",
    "new Errors.AppliedUnreadable({ ...fields, key })",
    "new Errors.UnkeyedAppliedUnreadable(fields)"
  ),
  inKey(
    "one random key for all operations",
    "Effect.sync(() =>\n  IdempotencyKey.make(crypto.randomUUID())\n)",
    "Effect.succeed(IdempotencyKey.make(crypto.randomUUID()))"
  ),
  inKey(
    "one key for two operations that differ in how their parts are split",
    `parts.map(escape).join(":")`,
    `parts.join(":")`
  ),
  inKey(
    "one key for two long operations that differ in how their parts are split",
    "JSON.stringify(parts)",
    `parts.join("")`
  ),
  inKey(
    "one key for all operations with a common prefix",
    "whole && readable.length <= maxLengthInBody ? readable : digested(readable, parts)",
    "readable.slice(0, maxLengthInBody)"
  ),

  // -----------------------------------------------------------------------------------------------
  // Requests
  // -----------------------------------------------------------------------------------------------
  inPayouts(
    "pay from another wallet",
    "calls.create({ headers, payload }, hooks)",
    `calls.create({ headers, payload: { ...payload, wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d" as never } }, hooks)`
  ),
  inPayouts(
    "pay someone else",
    "calls.create({ headers, payload }, hooks)",
    `calls.create({ headers, payload: { ...payload, destination: "+2290100000000" } }, hooks)`
  ),
  inPayments(
    "collect as a deposit",
    `createAndAwait("Payments.collect", "COLLECTION")`,
    `createAndAwait("Payments.collect", "DEPOSIT")`
  ),
  inPayments(
    "let the request override the operation",
    "create({ ...request, operation }, options, onCreated)",
    "create({ operation, ...request } as never, options, onCreated)"
  ),
  inCards(
    "let the request override the key of a card",
    "{ ...request, idempotency_key: options?.key }",
    "{ idempotency_key: options?.key, ...request } as never"
  ),
  inRequest(
    "apply the toJSON of an input",
    "const copy: Record<string, unknown> = { ...input }",
    "const copy = input as Record<string, unknown>"
  ),
  inRequest(
    "apply the toJSON of a nested input",
    "if (guard.isRecord(member)) copy[name] = { ...member }",
    ""
  ),
  inRequest(
    "send undocumented members",
    `guard.compile(schema, "refuse")`,
    `guard.compile(schema, "pass")`
  ),
  inRequest(
    "send an invalid request",
    "guard.isRecord(members) && fits(members)",
    "guard.isRecord(members) && (fits(members) || true)"
  ),
  inRequest(
    "send a duplicate query parameter",
    "if (!Object.hasOwn(query, name) || query[name] === undefined) continue",
    "if (query !== undefined) continue"
  ),
  inRequest("do not encode path parameters", "path += encodeURIComponent(value)", "path += value"),
  inRequest(
    "allow dot segments in path parameters",
    `(value === "" || value === "." || value === ".." || !isWellFormed(value))`,
    `(value === "" || !isWellFormed(value))`
  ),
  inRequest("accept compressed responses", `    "accept-encoding": "identity",\n`, ""),
  inMetadata(
    "accept metadata that JSON drops",
    "if (!isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return false",
    ""
  ),
  inMetadata(
    "accept metadata with a toJSON",
    `if ("toJSON" in value && typeof value.toJSON === "function") return false`,
    ""
  ),
  inRootUrl(
    "send tokens without TLS",
    `url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))`,
    `url.protocol === "https:" || url.protocol === "http:"`
  ),
  inRootUrl(
    "treat a host with the suffix of a local name as local",
    `hostname.endsWith(".localhost")`,
    `hostname.endsWith("localhost")`
  ),

  // -----------------------------------------------------------------------------------------------
  // Guards
  // -----------------------------------------------------------------------------------------------
  inGuard(
    "do not check optional members",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "mayBeAbsent || guard(value[name])"
  ),
  inGuard(
    "accept a missing required member",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] === undefined || guard(value[name])"
  ),
  inGuard(
    "accept null for any member",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] === undefined ? mayBeAbsent : value[name] === null || guard(value[name])"
  ),
  inGuard(
    "accept null for an optional member",
    "value[name] === undefined ? mayBeAbsent : guard(value[name])",
    "value[name] == null ? mayBeAbsent : guard(value[name])"
  ),
  inGuard(
    "do not check members of a value with the previous shape",
    "name !== names[i] || guards[i]?.(value[name]) !== true",
    "name !== names[i]"
  ),
  inGuard(
    "do not check member names against the previous shape",
    "name !== names[i] || guards[i]?.(value[name]) !== true",
    "guards[i]?.(value[name]) !== true"
  ),
  inGuard(
    "accept a value without the last members of the previous shape",
    "return i === names.length || lookUp(value)",
    "return i <= names.length || lookUp(value)"
  ),
  inGuard("cache the shape of an invalid value", "if (fits) shape =", "shape ="),
  inGuard("check only the first row", "!item(value[i])", "i === 0 && !item(value[i])"),
  inGuard(
    "do not check rows",
    "? array(guardOf(item.type, excess))",
    "? (value) => Array.isArray(value)"
  ),
  inGuard(
    "do not check nested structs",
    "guard: guardOf(withoutUndefined(type), excess),",
    `guard: withoutUndefined(type)._tag === "TypeLiteral" ? isRecord : guardOf(withoutUndefined(type), excess),`
  ),
  inGuard(
    "accept excess members in nested structs",
    "guard: guardOf(withoutUndefined(type), excess),",
    `guard: guardOf(withoutUndefined(type), "pass"),`
  ),
  inGuard(
    "accept excess members",
    `(excess === "pass" || Object.keys(value).every((name) => guards.has(name)))`,
    "guards !== undefined"
  ),
  inGuard(
    "do not check patterns",
    `return (value) => typeof value === "string" && regex.test(value)`,
    `return (value) => typeof value === "string"`
  ),
  inGuard(
    "do not check the rules of strings",
    `return (value) => typeof value === "string" && holds(value)`,
    `return (value) => typeof value === "string"`
  ),
  inGuard(
    "do not check the rules of numbers",
    "return (value) => from(value) && holds(value)",
    "return (value) => from(value)"
  ),
  inGuard(
    "accept a number for a string",
    `const isString: Guard = (value) => typeof value === "string"`,
    `const isString: Guard = (value) => typeof value === "string" || typeof value === "number"`
  ),
  inGuard(
    "accept any value for a literal",
    "return (value) => value === literal",
    "return (value) => typeof value === typeof literal"
  ),
  inGuard(
    "accept an array for an object",
    `typeof value === "object" && value !== null && !Array.isArray(value)`,
    `typeof value === "object" && value !== null`
  ),
  inGuard(
    "check only two of three union members",
    "return (value) => first(value) || second(value) || third(value)",
    "return (value) => first(value) || second(value)"
  ),

  // -----------------------------------------------------------------------------------------------
  // Retries
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
    "retry Once after an unreadable response",
    `UnreadableResponse: rule("unknown", "retry", "retry", "stop")`,
    `UnreadableResponse: rule("unknown", "retry", "retry", "retry")`
  ),
  inPolicy(
    "never retry a write",
    `ServerError: rule("unknown", "retry", "retry", "stop")`,
    `ServerError: rule("unknown", "retry", "stop", "stop")`
  ),
  inPolicy(
    "never retry a request that was not sent",
    `NotSent: rule("notApplied", "retry", "retry", "retry")`,
    `NotSent: rule("notApplied", "retry", "retry", "stop")`
  ),
  inLinksApi(
    "declare the creation of a link as Safe",
    "export const create = Operation.once({",
    "export const create = Operation.safe({"
  ),
  inStep(
    "allow one more attempt than the policy",
    "if (retries >= policy.attempts)",
    "if (retries > policy.attempts)"
  ),
  inTransport("follow redirects", `redirect: "manual"`, `redirect: "follow"`),

  // -----------------------------------------------------------------------------------------------
  // Sent or not sent
  // -----------------------------------------------------------------------------------------------
  inSent(
    "treat every broken connection as refused",
    `_tag: isNotSent ? "NotSent" : "Lost"`,
    `_tag: isNotSent ? "NotSent" : "NotSent"`
  ),
  inSent(
    "treat a refused connection as a lost one",
    `syscall === "connect" || syscall === "getaddrinfo"`,
    `syscall === "getaddrinfo"`
  ),
  inSent(
    "treat one unreachable address as proof that nothing was sent",
    "failures.every(isBeforeSending)",
    "failures.some(isBeforeSending)"
  ),
  inSent(
    "treat a reset as a refused connection",
    `  "UND_ERR_CONNECT_TIMEOUT",\n`,
    `  "UND_ERR_CONNECT_TIMEOUT",\n  "ECONNRESET",\n`
  ),
  inTransport(
    "treat an error after the response as not sent",
    `_tag === "RequestError" ? failed(cause) : lost(cause)`,
    "failed(cause)"
  ),
  inSent(
    "treat a dying client as not sent",
    `{ _tag: "Lost", code: "CLIENT_DIED" }`,
    `{ _tag: "NotSent", code: "CLIENT_DIED" } as never`
  ),
  inUndici(
    "UndiciClient: treat a lost connection as not sent",
    "this.status === 0 ? lost : this.answered(lost)",
    `this.status === 0 ? { _tag: "NotSent", code } : this.answered(lost)`
  ),
  inUndici(
    "UndiciClient: treat a refused connection as a lost one",
    `if (this.controller === undefined) this.end({ _tag: "NotSent", code })`,
    "if (this.controller === undefined) this.end(lost)"
  ),
  inUndici(
    "UndiciClient: treat a timeout as not sent",
    "this.controller === undefined\n            ?",
    "this.status === 0\n            ?"
  ),
  inUndici(
    "UndiciClient: treat a timeout before the connection as sent",
    "this.controller === undefined\n            ?",
    "this.controller === null\n            ?"
  ),
  inUndici(
    "UndiciClient: send an aborted request later",
    "if (this.done === undefined) throw transports.aborted\n",
    ""
  ),
  inUndici(
    "UndiciClient: destroy a connection that an ended request does not use",
    "if (this.done === undefined) throw transports.aborted",
    "if (this.done === undefined) return controller.abort(transports.aborted)"
  ),
  inUndici(
    "UndiciClient: treat a throwing dispatcher as not sent",
    "this.cutOff(transports.died)",
    `this.cutOff({ _tag: "NotSent", code: "CLIENT_DIED" })`
  ),
  inDoubt("do not mark a request in flight as doubtful", ", doubtful: true })", " })"),

  // -----------------------------------------------------------------------------------------------
  // Outcomes
  // -----------------------------------------------------------------------------------------------
  inPolicy(
    "report a 409 as not applied",
    `ConflictError: rule("unknown",`,
    `ConflictError: rule("notApplied",`
  ),
  inPolicy(
    "report a 408 as not applied",
    `RequestTimeout: rule("unknown",`,
    `RequestTimeout: rule("notApplied",`
  ),
  inPolicy(
    "report a timeout as not applied",
    `TimeoutError: rule("unknown",`,
    `TimeoutError: rule("notApplied",`
  ),
  inPolicy(
    "report a lost connection as not applied",
    `ConnectionLost: rule("unknown",`,
    `ConnectionLost: rule("notApplied",`
  ),
  inPolicy(
    "report a 5xx as not applied",
    `ServerError: rule("unknown",`,
    `ServerError: rule("notApplied",`
  ),
  inPolicy(
    "report an unexpected status as not applied",
    `UnexpectedStatusError: rule("unknown",`,
    `UnexpectedStatusError: rule("notApplied",`
  ),
  inPolicy(
    "report an unreadable response as not applied",
    `UnreadableResponse: rule("unknown",`,
    `UnreadableResponse: rule("notApplied",`
  ),
  inPolicy(
    "report a response that is too large as not applied",
    `TooLarge: rule("unknown",`,
    `TooLarge: rule("notApplied",`
  ),
  inPolicy(
    "report an unreadable success as unknown, and retry",
    `UnreadableSuccess: rule("applied", "stop", "stop", "stop")`,
    `UnreadableSuccess: rule("unknown", "retry", "retry", "retry")`
  ),
  inReasons(
    "report a mismatched response as applied",
    `reason === "DataMisfit"`,
    `reason === "DataMisfit" || reason === "AnotherSubject"`
  ),
  inResponse(
    "treat a 409 as a success",
    "    const isSuccess = status >= 200 && status < 300\n",
    `    if (status === 409 && operation.access !== "credentials") return { _tag: "Success", data: ${JSON.stringify(plausible)}, status, envelope: {}, context }\n    const isSuccess = status >= 200 && status < 300\n`
  ),
  inResponse(
    "treat a redirect as a success",
    "const isSuccess = status >= 200 && status < 300",
    "const isSuccess = status >= 200 && status < 400"
  ),
  inResponse(
    "trust success: true under an error status",
    "if (!isSuccess && !isContradicted) return",
    "if (!isSuccess) return"
  ),
  inResponse(
    "trust a 2xx with success: false",
    "if (succeeded !== isSuccess) return",
    "if (!isSuccess && succeeded !== isSuccess) return"
  ),
  inLostBody(
    "treat a success with a lost body as a refusal",
    `if (parsed._tag === "Lost") return noResponse(name, parsed)`,
    `if (parsed._tag === "Lost") return refused({ ...result, status: 422 }, value, context)`
  ),
  inLostBody(
    "treat a success with a lost body as not sent",
    `if (parsed._tag === "Lost") return noResponse(name, parsed)`,
    `if (parsed._tag === "Lost") return noResponse(name, { ...parsed, _tag: "NotSent" })`
  ),
  inResponse("accept invalid UTF-8", `{ fatal: true }`, `{ fatal: false }`),
  inResponse(
    "accept a response that does not match its schema",
    "if (fits(data)) return {",
    "if (fits(data) || data !== undefined) return {"
  ),
  inConclusion(
    "report an unknown outcome as a failure",
    "!state.doubtful && RetryPolicy",
    "RetryPolicy"
  ),
  inConclusion(
    "report every unknown outcome as a failure",
    `if (replay._tag === "Safe" || isNotApplied) {`,
    `if (replay._tag === "Safe" || isNotApplied || state.sent >= 0) {`
  ),
  inStep("forget an earlier doubtful attempt", "doubtful: before.doubtful || ", "doubtful: "),
  inCall(
    "forget a doubtful attempt on the next response",
    "{ ...before, sent: this.state.sent },",
    "{ ...before, sent: this.state.sent, doubtful: false },"
  ),
  inCall(
    "mark every answered attempt as doubtful",
    "{ ...before, sent: this.state.sent },",
    "this.state,"
  ),
  inFirstRead(
    "do not warn about a created resource on an immediate interruption",
    "    this.onSuccess?.(success.data)\n",
    ""
  ),
  inConclusion(
    "omit the id of an unreadable success",
    "    issues,\n    ...found\n",
    "    issues,\n    id: undefined, reference: found.reference\n"
  ),
  inCall(
    "report a success after a retry as unknown",
    "    this.shared.budget.earn()\n",
    `    if (this.state.retries > 0 && this.shared.replay._tag !== "Safe") {
        const late = response.failure(() => ({ message: "late" }) as never, "TokenUnavailableError")
        return this.fail(late, "rule") as never
      }
      this.shared.budget.earn()\n`
  ),
  inConclusion(
    "report the number of retries as attempts",
    "attempts: state.sent,",
    "attempts: state.retries,"
  ),
  inCall(
    "do not warn about an interrupted write",
    `return replay._tag !== "Safe" && this.state.doubtful && isInterrupted(exit)`,
    "return this.state.sent < 0"
  ),
  inCall(
    "omit the key from the warning",
    "endings.interrupted(this.request.key, this.applied)",
    "endings.interrupted(undefined, this.applied)"
  ),
  inCall(
    "warn about a write that was not applied",
    `this.state.doubtful && isInterrupted(exit)`,
    `isInterrupted(exit)`
  ),
  inCall(
    "do not warn about an interruption combined with a failure",
    "Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)",
    "Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) && Cause.isEmpty(exit.cause)"
  ),
  inTelemetry(
    "count every outcome as a success",
    `if (Exit.isSuccess(exit)) return "Success"`,
    `if (Exit.isExit(exit)) return "Success"`
  ),

  // -----------------------------------------------------------------------------------------------
  // Reused keys
  // -----------------------------------------------------------------------------------------------
  inStep(
    "never report KeyReused",
    "other !== undefined && other === before.other",
    "other !== undefined && other !== other"
  ),
  inStep(
    "report KeyReused at the first mismatched response",
    "other !== undefined && other === before.other",
    "other !== undefined"
  ),
  inStep(
    "report KeyReused for two different mismatched responses",
    "other !== undefined && other === before.other",
    "other !== undefined && before.other !== undefined"
  ),
  inStep(
    "forget the mismatched resource after another failure",
    "other: other ?? before.other",
    "other"
  ),
  inConclusion(
    "report KeyReused after a doubtful attempt as unknown",
    `if (because === "key reused" && key !== undefined)`,
    `if (because === "key reused" && key === undefined)`
  ),

  // -----------------------------------------------------------------------------------------------
  // Mismatched responses
  // -----------------------------------------------------------------------------------------------
  inResponse(
    "accept a read of another payment",
    "checks.isAbout(request, data) === false || differs.length > 0",
    "differs.length > 0"
  ),
  inResponse(
    "accept the response to another write",
    "checks.isAbout(request, data) === false || differs.length > 0",
    "checks.isAbout(request, data) === false"
  ),
  inResponseChecks(
    "do not compare responses",
    "return different.length === 0 ? nothing",
    "return different.length >= 0 ? nothing"
  ),
  inResponseChecks(
    "accept a response about another payout",
    "undefined : expected === actual",
    "undefined : true"
  ),
  inResponseChecks("compare only four digits of beneficiaries", "/\\d{8}$/.exec", "/\\d{4}$/.exec"),
  inResponseChecks(
    "compare keys case-insensitively",
    "text: (sent, back) => sent === back",
    "text: (sent, back) => sent.toLowerCase() === back.toLowerCase()"
  ),
  inResponseChecks(
    "compare only the integer part of amounts",
    "Amount.Equivalence(sent, back)",
    "Number.parseInt(sent, 10) === Number.parseInt(back, 10)"
  ),
  inResponseChecks(
    "accept any currency",
    "code: Text.isSameCode,",
    "code: (sent, back) => sent.length === back.length,"
  ),
  inPayoutsApi(
    "do not compare beneficiaries",
    `{ field: "currency", as: "code" },\n      { field: "destination", as: "phone" }`,
    `{ field: "currency", as: "code" }`
  ),
  inPayoutsApi(
    "do not compare the amount of a payout",
    `      { field: "amount", as: "amount" },\n`,
    ""
  ),
  inCardsApi(
    "do not compare the key of a card",
    `      { field: "idempotency_key", member: "issuance_reference", as: "text" },\n`,
    ""
  ),
  inAmount(
    "compare amounts as floats",
    "self === that || canonical(self) === canonical(that)",
    "Number(self) === Number(that)"
  ),
  inAmount(
    "compare amounts as strings",
    "self === that || canonical(self) === canonical(that)",
    "self === that"
  ),
  inAmount(
    "order amounts as floats",
    "BigDecimal.Order(toBigDecimal(self), toBigDecimal(that))",
    "Number(self) < Number(that) ? -1 : Number(self) > Number(that) ? 1 : 0"
  ),
  inAmount(
    "round an amount",
    `replace(/(\\.[0-9]{4})0+$/, "$1")`,
    `replace(/(\\.[0-9]{4})[0-9]+$/, "$1")`
  ),
  inResponseChecks(
    "report any unreadable success as applied",
    "if (!canShow || isAbout(request, data) === true) return true",
    "return true"
  ),
  inResponseChecks(
    "report an unreadable success with the same amount as applied",
    "(compared.length > 0 && compared.every(same))",
    "compared.some(same)"
  ),
  inResponseChecks(
    "never report an unreadable success as applied",
    "(compared.length > 0 && compared.every(same))",
    "compared.length < 0"
  ),
  inResponseChecks(
    "do not retry after an unreadable, possibly mismatched response",
    "(request.subject !== undefined && members.has(nameOf(request.subject)))",
    "false"
  ),
  inResponseChecks(
    "do not retry after a possibly mismatched token response",
    `access === "credentials" ||`,
    ""
  ),

  // -----------------------------------------------------------------------------------------------
  // Defects
  // -----------------------------------------------------------------------------------------------
  inBearer(
    "fail when the token source dies",
    ",\n        Effect.catchAllCause(() => Effect.succeed(died))",
    ""
  ),
  inBearer(
    "fail when the token source dies in its synchronous part",
    "        return died\n",
    "        throw new Error()\n"
  ),
  inBearer(
    "fail when the token source is interrupted",
    "Effect.catchAllCause(() => Effect.succeed(died))",
    "Effect.catchAllDefect(() => Effect.succeed(died))"
  ),
  inBearer(
    "fail when the rejection of a token dies",
    ",\n        Effect.catchAllCause(() => Effect.void)",
    ""
  ),
  inBearer(
    "wait forever for the rejection of a token",
    "        Effect.timeoutOption(Math.max(0, limitMillis)),\n",
    ""
  ),
  inBearer("wait forever for a token", "Effect.timeoutOption(limitMillis),", "Effect.asSome,"),
  inBearer(
    "wait forever for a token in an uninterruptible region",
    "        Effect.interruptible,\n        Effect.timeoutOption(limitMillis)",
    "        Effect.timeoutOption(limitMillis)"
  ),
  inTransport(
    "fail when the client dies",
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
  inResponse("read Retry-After as milliseconds", "Number(form) * 1000", "Number(form)"),
  inResponse(
    "use the first of several Retry-After values",
    "Math.max(0, ...millis)",
    "Math.max(0, millis[0] ?? 0)"
  ),
  inResponse(
    "accept any Retry-After",
    "!retryAfterForm.test(form)\n      ? NaN",
    "form === undefined\n      ? NaN"
  ),
  inPolicy(
    "back off without a delay",
    "const jittered = chance * ceiling",
    "const jittered = 0 * ceiling"
  ),
  inPolicy(
    "back off without jitter",
    "const jittered = chance * ceiling",
    "const jittered = ceiling"
  ),
  inPolicy("no jitter after Retry-After", "retryAfterMillis + chance * base", "retryAfterMillis"),
  inStep(
    "sleep beyond the deadline",
    `  if (pauseMillis >= left) return done("deadline")
  const afterMillis = Math.max(pauseMillis, failed.budgetMillis)
  if (afterMillis >= left) return done("budget")\n`,
    "  const afterMillis = Math.max(pauseMillis, failed.budgetMillis)\n"
  ),
  inCall(
    "start an attempt after a suspension past the deadline",
    "this.leftMillis() > 0 ? this.attempt() :",
    "this.leftMillis() > -Infinity ? this.attempt() :"
  ),
  inStep(
    "start a write without time for its response",
    "isReserved ? shorterMillis / 10 : 0",
    "isReserved ? shorterMillis / 1e9 : 0"
  ),
  inStep(
    "no timeout of an attempt",
    "  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)",
    "  1000 * Math.max(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)"
  ),
  inStep(
    "extend the deadline when the clock is set back",
    "Math.max(0, nowMillis - startedMillis)",
    "(nowMillis - startedMillis)"
  ),
  inStep(
    "let an attempt outlast its call",
    "  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)",
    "  rules.attemptMillis"
  ),
  inStep(
    "never start a write with a short deadline",
    "isReserved ? shorterMillis / 10 : 0",
    "isReserved ? attemptMillis / 10 : 0"
  ),
  inCall(
    "count the token request towards the timeout of the attempt",
    "return step.attemptMillis(this.rules, this.state, this.now())",
    "return step.attemptMillis(this.rules, this.state, this.now()) - (this.state.sent === 1 ? this.now() - this.state.startedMillis : 0)"
  ),
  inCallPolicy("ignore the deadline of the caller", "? timeout\n", "? policy.deadline\n"),
  inBearer(
    "send with a token that arrived after the deadline",
    "leftMillis() > 0",
    "leftMillis() > -Infinity"
  ),
  inCall(
    "retry without a budget",
    "budgetMillis: this.shared.budget.waitMillis(nowMillis)",
    "budgetMillis: 0"
  ),
  inCall("do not charge retries to the budget", "    budget.take(this.now())\n", ""),
  inCall(
    "do not return the budget of an interrupted retry",
    ",\n      Effect.onInterrupt(() => Effect.sync(budget.giveBack))",
    ""
  ),
  inBudget(
    "return the budget of a retry twice",
    "left = Math.min(capacity, left + 1)",
    "left = Math.min(capacity, left + 2)"
  ),
  inBudget("a budget that never runs out", "      left -= 1\n", ""),
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
    "drain the budget when the clock is set back",
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
    "share one budget between reads and writes",
    `replay._tag === "Safe" ? budgets.reads : budgets.writes`,
    "budgets.writes"
  ),
  inGateway(
    "a budget for each operation",
    `replay._tag === "Safe" ? budgets.reads : budgets.writes`,
    "retryBudget.make(policy.budget)"
  ),
  inCallPolicy(
    "ignore the limit of attempts of a surrounding loop",
    "...withDefaults(policy, { ...retry })",
    "...policy"
  ),
  inTimer(
    "a delay that outlives its call",
    "return Effect.onInterrupt(sleeper.sleep(millis), () => Effect.sync(sleeper.cancel))",
    "return sleeper.sleep(millis)"
  ),
  inTimer("a long deadline ends at once", "Math.min(millis, longestMillis)", "millis"),
  inTimer("do not clear a timer", "return () => clearTimeout(timer)", "return () => undefined"),
  inTimer(
    "ignore the clock of the fiber",
    "if (clock.sleep !== realSleep) {",
    "if (clock.sleep === undefined) {"
  ),

  // -----------------------------------------------------------------------------------------------
  // Bodies and connections
  // -----------------------------------------------------------------------------------------------
  inTransport(
    "read bodies without a limit",
    `size > limit ? Effect.fail("TooLarge" as const) : Effect.void`,
    "Effect.void"
  ),
  inTransport(
    "no body limit for clients derived from UndiciClient",
    "Context.add(withoutRedirects(context), BodyLimit, request.bodyLimit)",
    "withoutRedirects(context)"
  ),
  inBounds(
    "trust the content-length of a compressed body",
    `(encoding ?? "identity") === "identity" && /^`,
    `encoding !== "" && /^`
  ),
  inTransport(
    "treat a broken body as empty",
    `error.reason === "EmptyBody"`,
    `error.reason !== "StatusCode"`
  ),
  inUndici(
    "UndiciClient: truncate a body at the limit",
    "if (this.size > this.bodyLimit) this.tooLarge()",
    "if (this.size > this.bodyLimit) this.end(this.answered(transports.join(this.chunks ?? [], this.size - chunk.byteLength)))"
  ),
  inUndici(
    "UndiciClient: read bodies without a limit",
    "if (this.size > this.bodyLimit) this.tooLarge()",
    "if (this.size > Infinity) this.tooLarge()"
  ),
  inUndici(
    "UndiciClient: continue reading past the limit",
    `this.cutOff(this.answered("TooLarge"))`,
    `this.end(this.answered("TooLarge"))`
  ),
  inUndici(
    "UndiciClient: treat a broken body as complete",
    "this.status === 0 ? lost : this.answered(lost)",
    "this.status === 0 ? lost : this.answered(transports.join(this.chunks ?? [], this.size))"
  ),
  inUndici(
    "UndiciClient: forget the status when the body breaks",
    "this.end(this.status === 0 ? lost : this.answered(lost))",
    "this.end(lost)"
  ),
  inUndici(
    "UndiciClient: treat an informational response as final",
    "if (status < 200 || ",
    "if ("
  ),
  inUndici(
    "UndiciClient: do not abort on interruption",
    "() => Effect.sync(() => exchange.abort())",
    "() => Effect.void"
  ),
  inUndici(
    "UndiciClient: do not abort at the deadline",
    "        this.cutOff(\n          this.controller",
    "        this.end(\n          this.controller"
  ),
  inUndici("UndiciClient: open connections without a bound", "        connections,\n", ""),
  inUndici("UndiciClient: a deadline that outlives the response", "    cancelDeadline?.()\n", ""),
  inUndici(
    "UndiciClient: send an interrupted request later",
    "    this.release()\n    controller?.abort(transports.aborted)\n",
    "    controller?.abort(transports.aborted)\n"
  ),
  inTransport(
    "continue before the exchange has ended",
    "() => Fiber.interrupt(child)",
    "() => Fiber.interruptFork(child)"
  ),
  inTransport("do not abort on interruption", "() => Fiber.interrupt(child)", "() => Effect.void"),
  inTransport("never release the connection", "    HttpClient.withScope\n", ""),
  inFetch("FetchClient: follow redirects", `redirect: "manual"`, `redirect: "follow"`),
  inFetch(
    "FetchClient: read bodies without a limit",
    `      if (size > limit) return "TooLarge"\n`,
    ""
  ),
  inFetch(
    "FetchClient: do not abort on interruption",
    "            cancelDeadline()\n            controller.abort(transports.aborted)",
    "            cancelDeadline()"
  ),
  inTransport(
    "do not abort at the deadline",
    "              child.unsafeInterruptAsFork(FiberId.none)\n",
    ""
  ),

  // -----------------------------------------------------------------------------------------------
  // Tokens
  // -----------------------------------------------------------------------------------------------
  inBearer(
    "use the header of one token for all tokens",
    "const known = bearers.get(token)",
    "const known = bearers.get(((globalThis as { first?: object }).first ??= token) as typeof token)"
  ),
  inBearer(
    "send a token with invalid header characters",
    "  if (!/^[\\x21-\\x7e]+$/.test(text)) return undefined\n",
    ""
  ),
  inCall(
    "never renew a token",
    "? this.reject(failure, bearer)\n        : this.pause",
    "? Effect.void\n        : this.pause"
  ),
  inCall(
    "keep a refused token when no time is left",
    "Effect.zipRight(this.reject(failure, bearer), failed)",
    "failed"
  ),
  inStep("renew a token without limit", "{ ...state, renewed: true }", "{ ...state }"),
  inStep(
    "renew a token twice per call",
    "{ ...state, renewed: true }",
    "{ ...state, renewed: before.sent > 1 }"
  ),
  inToken(
    "cache a failed token",
    "            request = undefined\n            return Deferred.done(result, exit)",
    "            if (exit._tag === 'Success') request = undefined\n            return Deferred.done(result, exit)"
  ),
  inToken(
    "renew per caller",
    "if (request !== undefined) return Effect.succeed(request)",
    "if (request !== undefined && closed) return Effect.succeed(request)"
  ),
  inToken(
    "use an expired token",
    "if (held !== undefined && nowMillis < held.expiresMillis) {",
    "if (held !== undefined) {"
  ),
  inToken(
    "renew a token only when it expires",
    "return nowMillis < held.renewMillis ||",
    "return nowMillis < held.expiresMillis ||"
  ),
  inToken(
    "wait for the end of a pause beyond the deadline",
    "pauseMillis > 0 && pauseMillis < limitMillis",
    "pauseMillis > 0"
  ),
  inToken(
    "never wait for the end of a pause",
    "pauseMillis > 0 && pauseMillis < limitMillis",
    "pauseMillis > limitMillis && pauseMillis < limitMillis"
  ),
  inToken(
    "no request before the end of a pause",
    "State.shortPauseMillis(state, nowMillis)",
    "State.pauseMillis(state, nowMillis)"
  ),
  inTokenState(
    "keep a refused token",
    "{ ...state, held: undefined, refusals }",
    "{ ...state, refusals }"
  ),
  inTokenState(
    "drop the current token when an older one is refused",
    "if (state.held?.token !== token) return state",
    "if (state.held === undefined) return state"
  ),
  inTokenState(
    "never reset the count of early refusals",
    "isYoung ? state.refusals + 1 : 0",
    "isYoung ? state.refusals + 1 : state.refusals"
  ),
  inTokenState("no delay between refused new tokens", "isYoung ? state.refusals + 1 : 0", "0"),
  inTokenState(
    "no growing delay between failed token requests",
    "failures: state.failures + 1",
    "failures: 1"
  ),
  inToken("end a renewal with its caller", "Effect.forkIn(scope),", "Effect.fork,"),
  inToken("a renewal that outlives its scope", "        Effect.interruptible,\n", ""),
  inToken(
    "use a token of another environment",
    "options.environment !== undefined && options.environment !== token.environment",
    "options.environment !== undefined && options.environment === undefined"
  ),

  // -----------------------------------------------------------------------------------------------
  // Secrets
  // -----------------------------------------------------------------------------------------------
  inSanitize(
    "redact secrets only as they were typed",
    "forms: formsOf(normalize(text))",
    "forms: formsOf(lowerCase(text))"
  ),
  inSanitize(
    "redact nothing",
    "withoutSecrets(text, (pieces ??= new Set(wanted.flatMap(piecesOf))), short)\n",
    "text\n"
  ),
  inSanitize("do not redact short codes", "piecesOf))), short)\n", "piecesOf))), [])\n"),
  inSanitize("redact codes only with their leading zeros", "[secret, number]", "[secret]"),
  inSanitize(
    "redact only complete secrets",
    "new Set(wanted.flatMap(piecesOf))",
    "new Set(wanted.flatMap((secret) => piecesOf(secret).slice(0, 1)))"
  ),
  inSanitize(
    "truncate before redaction",
    "const begun = redact(text.slice(0, length * 4))",
    "const begun = redact(text.slice(0, length))"
  ),
  inSanitize(
    "escape nothing",
    "const text = (long: string): string => escape(begin(long, textLength))",
    "const text = (long: string): string => begin(long, textLength)"
  ),
  inSanitize("do not truncate", "const textLength = 500", "const textLength = 1e9"),
  inSanitize("do not limit the number of values", "if (left-- <= 0) break\n", ""),
  inSanitize("do not redact identifiers", "return isKept ? name : text(name)", "return name"),
  inSanitize("redact every identifier", "return isKept ? name : text(name)", "return text(name)"),
  inSanitize(
    "do not redact numbers",
    "redact(String(value)) === String(value) ? value : redacted",
    "value"
  ),
  inAttempt("do not redact request data", "...sensitive(payload).map(sanitize.secret),", ""),
  inAttempt("do not redact the token", "...(bearer === undefined ? [] : [bearer.secret])", ""),
  inSensitive(
    "do not redact nullable members",
    `    case "Union":\n      return all(ast.types.map(collectorOf))\n`,
    ""
  ),
  inPayout(
    "do not redact the beneficiary",
    "destination: Schema.String.pipe(Sensitive.mark),\n  metadata",
    "destination: Schema.String,\n  metadata"
  ),
  inPayouts(
    "show the beneficiary when a payout is printed",
    "{ destination: Redacted.make(destination) }",
    "{ destination: destination as never }"
  ),
  inResponse("report all issues of a long response", `? "first" : "all"`, `? "all" : "all"`),

  // -----------------------------------------------------------------------------------------------
  // Waiting and reading
  // -----------------------------------------------------------------------------------------------
  inPolling("treat PENDING as final", `status !== "PENDING"`, `status !== ""`),
  inPolling(
    "do not warn about an interrupted wait",
    "        seen === undefined\n          ? Effect.void",
    "        seen !== null\n          ? Effect.void"
  ),
  inPolling(
    "show the last value when the error is printed",
    "{ value: last, enumerable: false }",
    "{ value: last, enumerable: true }"
  ),
  inPolling(
    "lose the created resource when its wait ends",
    "            created,\n            (cause, last) =>",
    "            undefined,\n            (cause, last) =>"
  ),
  inPolling(
    "report a refused read of a wait as a failed creation",
    "(cause, last) => waitFailed(known.id, sanitizer().text(cause.message), { last, cause })",
    "(cause) => cause as never"
  ),
  inPolling(
    "lose the created resource when until throws",
    "            Effect.fail(\n              Option.getOrElse(",
    "            Effect.die(\n              Option.getOrElse("
  ),
  inPolling("forget the last value", "          known.last = value\n", ""),
  inPolling(
    "create a payment with invalid wait options",
    "issues.length === 0 ? Either.right(plan)",
    "issues.length >= 0 ? Either.right(plan)"
  ),
  inPolling(
    "no limit of concurrent reads",
    "permits.make(concurrentReads)",
    "permits.make(Infinity)"
  ),
  inPolling(
    "hold the permit of a read during Retry-After",
    "reads.withPermit(subject.read(id, onePoll(leftMillis)))",
    `reads.withPermit(Effect.tapError(subject.read(id, onePoll(leftMillis)), (cause) => Effect.sleep("retryAfterMillis" in cause ? (cause.retryAfterMillis ?? 0) : 0)))`
  ),
  inPolling("let a read outlast its wait", "withinMillis: Math.max(1, leftMillis),", ""),
  inPolling(
    "wait for a permit beyond the deadline",
    "reads.isFree() ? Effect.asSome(limited) : Effect.timeoutOption(limited, leftMillis)",
    "Effect.asSome(limited)"
  ),
  inPolling(
    "show any string as a status",
    `/^[A-Za-z][A-Za-z _-]{0,39}$/.test(status) ?`,
    "status !== undefined ?"
  ),
  inPolling("a delay that outlives its wait or its stream", "    cancel()\n", ""),
  inPollingLoop(
    "wait beyond the deadline",
    "clock.unsafeCurrentTimeMillis() + plan.deadlineMillis",
    "clock.unsafeCurrentTimeMillis() + 10 * plan.deadlineMillis"
  ),
  inPollingLoop(
    "stop waiting at the first failed read",
    "return lags || isPassing(cause)",
    "return lags"
  ),
  inPollingLoop(
    "continue waiting after a refused read",
    "return lags || isPassing(cause)",
    "return lags || cause !== undefined"
  ),
  inPollingLoop(
    "stop waiting at a stale 404",
    `progress.isCreated && cause._tag === "NotFoundError"`,
    "false"
  ),
  inPollingLoop(
    "keep waiting for a missing resource",
    `progress.isCreated && cause._tag === "NotFoundError"`,
    `cause._tag === "NotFoundError"`
  ),
  inPollingLoop(
    "poll before Retry-After",
    "Math.max(drawn, retryAfterOf(progress.cause))",
    "drawn"
  ),
  inPollingLoop(
    "delays that do not grow",
    "Math.min(progress.pauseMillis * factor, capMillis)",
    "progress.pauseMillis"
  ),
  inPollingLoop("delays without jitter", "(0.5 + chance / 2)", "1"),
  inPermits(
    "leak a permit that is granted during an interruption",
    "granted ? Effect.zipRight(release, gone) : gone",
    "granted ? gone : gone"
  ),
  inPermits(
    "leak the permit of a failing effect",
    "Effect.ensuring(restore(effect), release)",
    "Effect.zipLeft(restore(effect), release)"
  ),
  inPagination("omit the last page", "page * size >= total", "(page + 1) * size >= total"),
  inPagination(
    "resume after the failed page",
    "            page,\n            cause\n",
    "            page: page + 1,\n            cause\n"
  ),
  inPagination(
    "accept the first page for every page",
    "read.current_page !== undefined && read.current_page !== page",
    "read.current_page !== undefined && read.current_page < 0"
  ),
  inLinks("accept a used link as a candidate", "isUntouched(link) &&\n", "\n"),
  inLinks("accept an earlier link as a candidate", "isMadeSince(link, sought.since) &&\n", "\n"),
  inLinks(
    "accept a link with other metadata as a candidate",
    "isSame(link.metadata ?? {}, metadata)",
    "isSame(metadata, metadata)"
  ),

  // The options of a call, the hook, and the words of errors
  inCall(
    "wait forever for a hook in an uninterruptible region",
    "const hook = Effect.interruptible(",
    "const hook = Effect.asVoid("
  ),
  inCall(
    "fail a success whose hook throws",
    "Effect.as(Effect.ignoreLogged(Effect.timeoutOption(hook, limitMillis)), success.data)",
    "Effect.as(Effect.timeoutOption(hook, limitMillis), success.data)"
  ),
  inCallPolicy(
    "accept a timeout of zero",
    "...duration(deadline, policy.deadline, 1)",
    "...duration(deadline, policy.deadline, 0)"
  ),
  inConclusion(
    "say nothing was applied of an unknown outcome",
    "the request may have been applied",
    "nothing was applied"
  ),
  inErrors(
    "call an unknown outcome not applied",
    `    case "OutcomeUnknown":\n    case "KeyReused":\n      return "unknown"`,
    `    case "KeyReused":\n      return "unknown"`
  ),
  inErrors(
    "call an unreadable success not applied",
    `      return "applied"\n    case "OutcomeUnknown":`,
    `      return "notApplied"\n    case "OutcomeUnknown":`
  ),
  inToken(
    "remember refusals of young tokens after a renewal",
    "        if (current !== undefined) youngRefusals = 0\n",
    ""
  ),
  inBodies(
    "trust the announced length of a body",
    `body.byteLength > limit ? "TooLarge" : body`,
    "body"
  )
]
