// Deliberate faults that a general tool cannot make, as edits of the source. A test must notice each of them.

export interface Mutant {
  readonly name: string
  readonly file: string
  /** Whether it loses, doubles or misnames money. `npm test` alone must notice it. */
  readonly isMoney: boolean
  /** A snippet that occurs in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** The test files that may notice it. */
  readonly tests: ReadonlyArray<string>
}

type Edit = readonly [name: string, find: string, replace: string]

/** The edits of a file. Tests are named by package and file: `core/Retry`. */
const inFile = (file: string, tests: ReadonlyArray<string>, edits: ReadonlyArray<Edit>) =>
  edits.map(([name, find, replace]) => ({
    name,
    find,
    replace,
    file: `packages/${file}`,
    tests: tests.map((test) => `packages/${test.replace("/", "/test/")}.test.ts`)
  }))

const ofMoney = [
  ...inFile(
    "core/src/internal/call.ts",
    [
      "core/Retry",
      "core/Interruption",
      "core/Secrecy",
      "core/Request",
      "core/Telemetry",
      "core/RetryBudget",
      "core/CallOptions"
    ],
    [
      [
        "generate a new key for each attempt",
        "Record<string, string> = { ...request.headers }",
        `Record<string, string> = { ...request.headers, ...("idempotency-key" in request.headers ? { "idempotency-key": String(Math.random()) } : {}) }`
      ],
      [
        "drop the key of a payment",
        "Record<string, string> = { ...request.headers }",
        `Record<string, string> = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "idempotency-key"))`
      ],
      [
        "do not warn about an interrupted write",
        "isInterrupted && (doubtful || inFlight)",
        "isInterrupted && doubtful"
      ],
      ["omit the key from the warning", "root.origin, this.request.key)", "root.origin, undefined)"]
    ]
  ),
  ...inFile(
    "payouts/src/Payouts.ts",
    ["payouts/Create", "payouts/Payouts"],
    [
      [
        "one key for all payouts",
        `"idempotency-key": options?.key }`,
        `"idempotency-key": "payout" as NonNullable<typeof options>["key"] }`
      ],
      [
        "truncate the key of a payout to 100 characters",
        `"idempotency-key": options?.key }`,
        `"idempotency-key": options?.key.slice(0, 100) as NonNullable<typeof options>["key"] }`
      ],
      [
        "pay from another wallet",
        "calls.create({ headers, payload }, options)",
        `calls.create({ headers, payload: { ...payload, wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d" as never } }, options)`
      ],
      [
        "pay someone else",
        "calls.create({ headers, payload }, options)",
        `calls.create({ headers, payload: { ...payload, destination: "+2290100000000" } }, options)`
      ]
    ]
  ),
  ...inFile(
    "cards/src/Cards.ts",
    ["cards/Cards", "sandbox/Echoes"],
    [
      [
        "generate the key of a card",
        "idempotency_key: options?.key }",
        `idempotency_key: (options?.key + "-card") as NonNullable<typeof options>["key"] }`
      ],
      [
        "let the request override the key of a card",
        "{ ...request, idempotency_key: options?.key }",
        "{ idempotency_key: options?.key, ...request } as never"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/conclusion.ts",
    ["core/Retry", "core/Answer", "core/KeyReused", "core/Interruption"],
    [
      [
        "omit the key from an unknown outcome",
        "new Errors.OutcomeUnknown({ ...fields, key })",
        "new Errors.UnkeyedOutcomeUnknown(fields)"
      ],
      ["report an unknown outcome as a failure", "!state.doubtful && RetryPolicy", "RetryPolicy"]
    ]
  ),
  ...inFile(
    "core/src/IdempotencyKey.ts",
    ["core/IdempotencyKey"],
    [
      [
        "one random key for all operations",
        `Effect.sync(() =>\n  IdempotencyKey.make(crypto.randomUUID())\n)`,
        "Effect.succeed(IdempotencyKey.make(crypto.randomUUID()))"
      ],
      [
        "one key for two operations that differ in how their parts are split",
        `parts.map(escape).join(":")`,
        `parts.join(":")`
      ],
      [
        "one key for all operations with a common prefix",
        "whole && readable.length <= maxLengthInBody ? readable : digested(readable, parts)",
        "readable.slice(0, maxLengthInBody)"
      ]
    ]
  ),
  ...inFile(
    "payments/src/Payments.ts",
    ["payments/Create", "payments/Polling", "payments/Payments"],
    [
      [
        "collect as a deposit",
        `collect("Payments.collect", "COLLECTION")`,
        `collect("Payments.collect", "DEPOSIT")`
      ],
      [
        "let the request override the operation",
        "create({ ...request, operation }, options)",
        "create({ operation, ...request } as never, options)"
      ]
    ]
  ),
  ...inFile(
    "core/src/RetryPolicy.ts",
    ["core/Step", "core/Retry"],
    [
      [
        "retry Once after a lost connection",
        `ConnectionLost: rule("unknown", "retry", "retry", "stop")`,
        `ConnectionLost: rule("unknown", "retry", "retry", "retry")`
      ],
      [
        "retry Once after a timeout",
        `TimeoutError: rule("unknown", "retry", "retry", "stop")`,
        `TimeoutError: rule("unknown", "retry", "retry", "retry")`
      ],
      [
        "retry Once after a 5xx",
        `ServerError: rule("unknown", "retry", "retry", "stop")`,
        `ServerError: rule("unknown", "retry", "retry", "retry")`
      ],
      [
        "report a 409 as not applied",
        `ConflictError: rule("unknown",`,
        `ConflictError: rule("notApplied",`
      ],
      [
        "report a lost connection as not applied",
        `ConnectionLost: rule("unknown",`,
        `ConnectionLost: rule("notApplied",`
      ],
      [
        "report a 5xx as not applied",
        `ServerError: rule("unknown",`,
        `ServerError: rule("notApplied",`
      ],
      [
        "report an unreadable success as unknown, and retry",
        `UnreadableSuccess: rule("applied", "stop", "stop", "stop")`,
        `UnreadableSuccess: rule("unknown", "retry", "retry", "retry")`
      ]
    ]
  ),
  ...inFile(
    "payment-links/src/PaymentLinksApi.ts",
    ["payment-links/PaymentLinks", "sandbox/Interface"],
    [
      [
        "declare the creation of a link as Safe",
        "export const create = Operation.once({",
        "export const create = Operation.safe({"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/httpClient.ts",
    ["core/Connections", "core/Interruption", "core/Loopback"],
    [
      ["follow redirects", `redirect: "manual"`, `redirect: "follow"`],
      [
        "treat an error after the response as not sent",
        `_tag === "RequestError" ? failed(cause) : lost(cause)`,
        "failed(cause)"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/transport.ts",
    ["core/Connections", "core/Interruption"],
    [
      [
        "treat every broken connection as refused",
        `_tag: isNotSent ? "NotSent" : "Lost"`,
        `_tag: isNotSent ? "NotSent" : "NotSent"`
      ],
      [
        "treat one unreachable address as proof that nothing was sent",
        "failures.every(isBeforeSending)",
        "failures.some(isBeforeSending)"
      ],
      [
        "treat a reset as a refused connection",
        `  "UND_ERR_CONNECT_TIMEOUT",\n`,
        `  "UND_ERR_CONNECT_TIMEOUT",\n  "ECONNRESET",\n`
      ],
      [
        "treat a dying client as not sent",
        `{ _tag: "Lost", code: "CLIENT_DIED" }`,
        `{ _tag: "NotSent", code: "CLIENT_DIED" } as never`
      ]
    ]
  ),
  ...inFile(
    "core/src/UndiciClient.ts",
    ["core/Connections", "core/UndiciClient", "core/Loopback"],
    [
      [
        "UndiciClient: treat a lost connection as not sent",
        "this.status === 0 ? lost : this.answered(lost)",
        `this.status === 0 ? { _tag: "NotSent", code } : this.answered(lost)`
      ],
      [
        "UndiciClient: treat a timeout as not sent",
        `this.controller === undefined\n            ?`,
        `this.status === 0\n            ?`
      ],
      [
        "UndiciClient: send an aborted request later",
        `if (this.done === undefined) throw transports.aborted\n`,
        ""
      ],
      [
        "UndiciClient: treat a throwing dispatcher as not sent",
        "this.cutOff(transports.died)",
        `this.cutOff({ _tag: "NotSent", code: "CLIENT_DIED" })`
      ],
      [
        "UndiciClient: send an interrupted request later",
        `    this.release()\n    controller?.abort(transports.aborted)\n`,
        `    controller?.abort(transports.aborted)\n`
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/step.ts",
    ["core/Interruption", "core/Step", "core/Retry", "core/KeyReused"],
    [
      ["do not mark a request in flight as doubtful", "inFlight: true })", "inFlight: false })"],
      ["forget an earlier doubtful attempt", "doubtful: before.doubtful || ", "doubtful: "],
      [
        "never report KeyReused",
        "other !== undefined && other === before.other",
        "other !== undefined && other !== other"
      ],
      [
        "report KeyReused at the first mismatched response",
        "other !== undefined && other === before.other",
        "other !== undefined"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/response.ts",
    ["core/Answer", "core/Retry", "core/Loopback", "core/Connections"],
    [
      [
        "treat a 409 as a success",
        `    const isSuccess = status >= 200 && status < 300\n`,
        `    if (status === 409 && operation.access !== "credentials") return { _tag: "Success", data: {"id":"3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d","reference":"PAY-234567ABCDEF","status":"COMPLETED","amount":"1","currency":"XOF","card":{"id":"3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d","issuance_reference":"card"},"data":[],"total":0}, status, envelope: {}, context }\n    const isSuccess = status >= 200 && status < 300\n`
      ],
      [
        "trust success: true under an error status",
        "if (!isSuccess && !isContradicted) return",
        "if (!isSuccess) return"
      ],
      [
        "trust a 2xx with success: false",
        "if (succeeded !== isSuccess) return",
        "if (!isSuccess && succeeded !== isSuccess) return"
      ],
      [
        "treat a success with a lost body as a refusal",
        `if (parsed._tag === "Lost") return noResponse(name, parsed)`,
        `if (parsed._tag === "Lost") return refused({ ...result, status: 422 }, value, context)`
      ],
      [
        "treat a success with a lost body as not sent",
        `if (parsed._tag === "Lost") return noResponse(name, parsed)`,
        `if (parsed._tag === "Lost") return noResponse(name, { ...parsed, _tag: "NotSent" })`
      ],
      [
        "accept a read of another payment",
        "checks.isAbout(request, data) === false || differs.length > 0",
        "differs.length > 0"
      ],
      [
        "accept the response to another write",
        "checks.isAbout(request, data) === false || differs.length > 0",
        "checks.isAbout(request, data) === false"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/responseChecks.ts",
    ["core/Answer", "core/KeyReused", "payouts/Create", "sandbox/Echoes", "cards/Cardholders"],
    [
      ["compare only four digits of beneficiaries", `/\\d{8}$/.exec`, `/\\d{4}$/.exec`],
      [
        "compare only the integer part of amounts",
        "Amount.Equivalence(sent, back)",
        "Number.parseInt(sent, 10) === Number.parseInt(back, 10)"
      ],
      [
        "report any unreadable success as applied",
        "if (!canShow || isAbout(request, data) === true) return true",
        "return true"
      ],
      [
        "accept a beneficiary's number that differs and has separators",
        `phone.replace(/\\D/g, "")`,
        "phone"
      ]
    ]
  ),
  ...inFile(
    "payouts/src/PayoutsApi.ts",
    ["payouts/Create", "sandbox/Echoes", "sandbox/Interface"],
    [
      [
        "do not compare beneficiaries",
        `{ field: "currency", as: "code" },\n      { field: "destination", as: "phone" }`,
        `{ field: "currency", as: "code" }`
      ],
      ["do not compare the amount of a payout", `      { field: "amount", as: "amount" },\n`, ""]
    ]
  ),
  ...inFile(
    "cards/src/CardsApi.ts",
    ["sandbox/Echoes", "sandbox/Interface"],
    [
      [
        "do not compare the key of a card",
        `      { field: "idempotency_key", member: "issuance_reference", as: "text" },\n`,
        ""
      ]
    ]
  ),
  ...inFile(
    "core/src/Amount.ts",
    ["core/Amount", "core/Answer"],
    [
      [
        "compare amounts as floats",
        "self === that || canonical(self) === canonical(that)",
        "Number(self) === Number(that)"
      ],
      [
        "round an amount",
        `replace(/(\\.[0-9]{4})0+$/, "$1")`,
        `replace(/(\\.[0-9]{4})[0-9]+$/, "$1")`
      ]
    ]
  ),
  ...inFile(
    "core/src/Errors.ts",
    ["core/Retry"],
    [
      [
        "call an unknown outcome not applied",
        `    case "OutcomeUnknown":\n    case "UnkeyedOutcomeUnknown":\n    case "KeyReused":\n      return "unknown"`,
        `    case "KeyReused":\n      return "unknown"`
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/messages.ts",
    ["core/Retry", "core/Answer", "core/KeyReused", "core/Interruption"],
    [
      [
        "say nothing was applied of an unknown outcome",
        "the request may have been applied",
        "nothing was applied"
      ]
    ]
  ),
  ...inFile(
    "core/src/Polling.ts",
    ["payments/Polling", "core/Polling", "payouts/Payouts"],
    [
      ["treat PENDING as final", `status !== "PENDING"`, `status !== ""`],
      [
        "lose the created resource when until throws",
        "return Effect.fail(failed(messageOf(cause), { last, cause: undefined }))",
        "return Effect.failCause(Cause.die(cause))"
      ]
    ]
  )
]

const others = [
  ...inFile(
    "core/src/internal/request.ts",
    ["core/Request", "payments/Create"],
    [
      [
        "send an invalid request",
        "guard.isRecord(members) && fits(members)",
        "guard.isRecord(members) && (fits(members) || true)"
      ],
      ["do not encode path parameters", "path += encodeURIComponent(value)", "path += value"]
    ]
  ),
  ...inFile(
    "core/src/internal/rootUrl.ts",
    ["core/Request"],
    [
      [
        "send tokens without TLS",
        `url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))`,
        `url.protocol === "https:" || url.protocol === "http:"`
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/bearer.ts",
    ["core/Retry", "core/Request", "core/Secrecy", "core/Interruption"],
    [
      [
        "use the header of one token for all tokens",
        "const known = bearers.get(token)",
        "const known = bearers.get(((globalThis as { first?: object }).first ??= token) as typeof token)"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/call.ts",
    [
      "core/Retry",
      "core/Interruption",
      "core/Secrecy",
      "core/Request",
      "core/Telemetry",
      "core/RetryBudget",
      "core/CallOptions"
    ],
    [
      [
        "never renew a token",
        `next._tag === "Renew" ? this.reject(failure, bearer) :`,
        `next._tag === "Renew" ? Effect.void :`
      ],
      [
        "keep a refused token when no time is left",
        `next.because === "deadline" ? this.reject(failure, bearer) : Effect.void`,
        "Effect.void"
      ],
      [
        "do not redact request data",
        "shared.sensitive(request.payload).map(sanitize.secret)",
        "shared.sensitive(undefined).slice(0, 0).map(sanitize.secret)"
      ],
      [
        "do not redact the token",
        "bearer === undefined ? secrets : [...secrets, bearer.secret]",
        "secrets"
      ],
      ["do not charge retries to the budget", `    budget.take(this.now())\n`, ""],
      [
        "fail a success whose hook throws",
        "return Effect.as(Effect.logWarning(`${name}: onResponse threw`, error), data)",
        "throw error"
      ],
      [
        "reject a token after any failure at the deadline",
        `if (bearer === undefined || fault !== "UnauthorizedError") return Effect.void`,
        `if (bearer === undefined || fault === "InvalidRequestError") return Effect.void`
      ]
    ]
  ),
  ...inFile(
    "token/src/Token.ts",
    ["token/Token", "token/Secrecy"],
    [
      [
        "cache a failed token",
        `            request = undefined\n            return Deferred.done(result, exit)`,
        `            if (exit._tag === 'Success') request = undefined\n            return Deferred.done(result, exit)`
      ],
      [
        "renew per caller",
        "if (request !== undefined) return Effect.succeed(request)",
        "if (request !== undefined && closed) return Effect.succeed(request)"
      ],
      [
        "use an expired token",
        "if (held !== undefined && nowMillis < held.expiresMillis) {",
        "if (held !== undefined) {"
      ],
      ["end a renewal with its caller", "Effect.forkIn(scope),", "Effect.fork,"],
      [
        "use a token of another environment",
        "options.environment !== undefined && options.environment !== token.environment",
        "options.environment !== undefined && options.environment === undefined"
      ]
    ]
  ),
  ...inFile(
    "token/src/internal/state.ts",
    ["token/Token"],
    [
      ["keep a refused token", "{ ...state, held: undefined, refusals }", "{ ...state, refusals }"],
      [
        "drop the current token when an older one is refused",
        "if (state.held?.token !== token) return state",
        "if (state.held === undefined) return state"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/sanitize.ts",
    ["core/Secrecy", "core/Answer"],
    [
      [
        "redact secrets only as they were typed",
        "forms: formsOf(normalize(text))",
        "forms: formsOf(lowerCase(text))"
      ],
      [
        "redact nothing",
        `withoutSecrets(text, (pieces ??= new Set(wanted.flatMap(piecesOf))), short)\n`,
        `text\n`
      ],
      [
        "truncate before redaction",
        "const begun = redact(text.slice(0, length * 4))",
        "const begun = redact(text.slice(0, length))"
      ],
      [
        "leave phone numbers of eight digits in messages",
        "const pieceLength = 8",
        "const pieceLength = 9"
      ]
    ]
  ),
  ...inFile(
    "payouts/src/Payout.ts",
    ["payouts/Create", "payouts/Payouts"],
    [
      [
        "do not redact the beneficiary",
        `destination: Schema.String.pipe(Sensitive.mark),\n  metadata`,
        `destination: Schema.String,\n  metadata`
      ]
    ]
  ),
  ...inFile(
    "payouts/src/Payouts.ts",
    ["payouts/Create", "payouts/Payouts"],
    [
      [
        "show the beneficiary when a payout is printed",
        "{ destination: Redacted.make(destination) }",
        "{ destination: destination as never }"
      ]
    ]
  ),
  ...inFile(
    "core/src/internal/httpClient.ts",
    ["core/Connections", "core/Interruption", "core/Loopback"],
    [
      [
        "read bodies without a limit",
        `size > limit ? Effect.fail("TooLarge" as const) : Effect.void`,
        "Effect.void"
      ],
      [
        "treat a broken body as empty",
        `error.reason === "EmptyBody"`,
        `error.reason !== "StatusCode"`
      ],
      ["do not abort on interruption", "() => Fiber.interrupt(child)", "() => Effect.void"]
    ]
  ),
  ...inFile(
    "core/src/UndiciClient.ts",
    ["core/Connections", "core/UndiciClient", "core/Loopback"],
    [
      [
        "UndiciClient: treat a broken body as complete",
        "this.status === 0 ? lost : this.answered(lost)",
        "this.status === 0 ? lost : this.answered(transports.join(this.chunks ?? [], this.size))"
      ]
    ]
  ),
  ...inFile(
    "core/src/Polling.ts",
    ["payments/Polling", "core/Polling", "payouts/Payouts"],
    [
      [
        "do not warn about an interrupted wait",
        `          created === undefined\n            ? Effect.void`,
        `          created !== null\n            ? Effect.void`
      ],
      ["no limit of concurrent reads", "makePermits(concurrentReads)", "makePermits(Infinity)"]
    ]
  ),
  ...inFile(
    "core/src/internal/polling.ts",
    ["core/Polling", "payments/Polling", "core/Permits"],
    [
      [
        "stop waiting at the first failed read",
        "return RetryPolicy.isPassing(cause)",
        "return cause === undefined"
      ],
      [
        "keep waiting for a missing resource",
        `cause._tag === "NotFoundError" && lags > 0`,
        `cause._tag === "NotFoundError"`
      ],
      ["poll before Retry-After", "Math.max(drawn, retryAfterOf(progress.cause))", "drawn"],
      [
        "leak a permit that is granted during an interruption",
        "granted ? Effect.zipRight(release, gone) : gone",
        "granted ? gone : gone"
      ]
    ]
  ),
  ...inFile(
    "core/src/Pagination.ts",
    ["core/Pagination"],
    [
      ["omit the last page", "page * size >= total", "(page + 1) * size >= total"],
      ["resume after the failed page", "message, page, cause }", "message, page: page + 1, cause }"]
    ]
  ),
  ...inFile(
    "payment-links/src/PaymentLinks.ts",
    ["payment-links/PaymentLinks"],
    [["accept a used link as a candidate", `isUntouched(link) &&\n`, `\n`]]
  )
]

export const mutants: ReadonlyArray<Mutant> = [
  ...ofMoney.map((mutant) => ({ ...mutant, isMoney: true })),
  ...others.map((mutant) => ({ ...mutant, isMoney: false }))
]
