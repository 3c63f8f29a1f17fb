/** Each end of each command has its exit code: 0 done, 1 nothing was applied, 2 wrong usage, 3 perhaps applied. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import type * as Payout from "@manilla/payouts/Payout"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import type * as Batch from "@manilla/workflows/Batch"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type ClientError, ofCall } from "../src/internal/failure.js"
import type { Row } from "../src/internal/payroll/file.js"
import * as results from "../src/internal/payroll/results.js"
import { of } from "../src/internal/payroll/words.js"
import { manilla, settings, test } from "./utils/manilla.js"
import { good, header, spreadsheet } from "./utils/payroll.js"

type Words = ReadonlyArray<string>

/** A payroll of rows with these amounts, in a folder of its own. */
const payroll = (...amounts: Words) =>
  Effect.map(
    spreadsheet([header, ...amounts.map((amount, i) => good(`E${i}`, amount))].join("\n")),
    ({ file, folder }) => ({ folder, words: ["payroll", file, "--yes"] })
  )

const common = (amount: string) =>
  `--amount ${amount} --currency XOF --country BJ --payment-method mtn_momo`.split(" ")

const pay = (command: string) => (amount: string) =>
  Effect.succeed(["payments", ...command.split(" "), phone, ...common(amount)])

const payOut = (command: string) => (amount: string) =>
  Effect.map(settings, ({ MANILLA_WALLET_ID }) => [
    ...`payouts ${command} --key k --wallet-id ${MANILLA_WALLET_ID} --destination`.split(" "),
    phone,
    ...common(amount)
  ])

/** The commands that move money, for an amount. */
const moving = {
  "payments create": pay("create --key k --operation DEPOSIT --payer-phone-number"),
  "payments collect": pay("collect --key k --payer-phone-number"),
  "payouts create": payOut("create"),
  "payouts disburse": payOut("disburse"),
  payroll: (amount: string) => Effect.map(payroll(amount), ({ words }) => words)
}

/** Answers to creations and reads whose resource has this status. */
const answers = (status: string) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    const created_at = "2026-11-27T10:00:00Z"
    const money = { status, amount: "1000", currency: "XOF", environment: "SANDBOX", created_at }
    const id = "7c615cb5-6c9b-4a19-bcdb-b2018d936e50"
    const payout = { ...money, reference: "PYT-1" }
    const payment = { ...money, id, operation: "COLLECTION", country: "BJ", updated_at: created_at }
    for (const [group, data] of Object.entries({ Payouts: payout, Payments: payment })) {
      for (const [verb, code] of Object.entries({ create: 201, get: 200 })) {
        const body = { success: true, data, meta: { correlation_id: null } }
        const operation = `${group}.${verb}` as Fault.OperationName
        yield* faults.add(
          Fault.status(code, { operation, count: "always", body: JSON.stringify(body) })
        )
      }
    }
  })

const statuses = ["COMPLETED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED", "REVERSED", "NEW_ONE"]

describe("a final status", () => {
  for (const name of ["payments collect", "payouts disburse", "payroll"] as const) {
    for (const status of statuses) {
      const code = status === "COMPLETED" ? 0 : 3
      test(`${status} ends ${name} with ${code}`, function* () {
        yield* answers(status)
        const printed = yield* manilla(yield* moving[name]("1000"))
        assert.strictEqual(printed.code, code, printed.err + printed.out)
        assert.include(printed.out, status === "COMPLETED" && name === "payroll" ? "paid" : status)
      })
    }
  }
})

describe("a refused request", () => {
  for (const [name, words] of Object.entries(moving)) {
    test(`ends ${name} with 1`, function* () {
      // A magic amount of the sandbox: insufficient funds.
      const { code, err, out } = yield* manilla(yield* words("999.9920"))
      assert.strictEqual(code, 1, err)
      assert.include(err + out, "INSUFFICIENT_FUNDS")
    })
  }
})

type Error = { readonly _tag: string }
/** An error of this kind, as far as exit codes read it. */
const like = <E extends Error>(_tag: E["_tag"]) => ({ _tag, message: "m" }) as unknown as E

describe("an error of a call", () => {
  const codes: Record<ClientError["_tag"], number> = {
    InvalidRequestError: 1,
    UnauthorizedError: 1,
    ForbiddenError: 1,
    UnprocessableError: 1,
    BadRequestError: 1,
    NotFoundError: 1,
    ConflictError: 1,
    RateLimitError: 1,
    ServerError: 1,
    UnexpectedStatusError: 1,
    TransportError: 1,
    TimeoutError: 1,
    MalformedResponseError: 1,
    TokenUnavailableError: 1,
    AppliedUnreadable: 3,
    UnkeyedAppliedUnreadable: 3,
    OutcomeUnknown: 3,
    UnkeyedOutcomeUnknown: 3,
    KeyReused: 3
  }
  it.each(Object.entries(codes))("%s ends with %i", (tag, code) => {
    assert.strictEqual(ofCall(like<ClientError>(tag as ClientError["_tag"])).code, code)
  })
})

describe("an error of a payroll that may be in flight", () => {
  const codes: Record<results.RunError["_tag"], number> = {
    // Nothing of this file was sent.
    ItemsDiffer: 1,
    InvalidItems: 3,
    InvalidPolicy: 3,
    DatabaseUnavailable: 3,
    UnsupportedSchema: 3,
    ExecutionNotFound: 3,
    ExecutionPurged: 3,
    StorageError: 3
  }
  it.each(Object.entries(codes))("%s ends with %i", (tag, code) => {
    const error = like<results.RunError>(tag as results.RunError["_tag"])
    const payroll = { file: "f", period: "p", wallet: "w", words: of("en") }
    const failure = results.failureOfRun(Object.assign(error, { issues: [] }), "state", payroll)
    assert.strictEqual(failure.code, code)
  })

  test("is 3 from the command if the state file is unreadable", function* () {
    const { folder, words } = yield* payroll("1000")
    mkdirSync(join(folder, "payroll-2026-11.sandbox.db"))
    const { code, err } = yield* manilla(words)
    assert.strictEqual(code, 3)
    assert.include(err, "The same command continues, and pays nobody twice.")
  })
})

test("a bug of a command ends with 3: it may have been applied", function* () {
  const bug = () => Effect.die(new Error("a bug"))
  const { code, err } = yield* manilla(["catalogue", "list"], {}, bug)
  assert.strictEqual(code, 3)
  assert.include(err, "a bug")
})

describe("the rows of a payroll", () => {
  // `999.9920` is refused, and `999.9906` fails at once.
  const table: ReadonlyArray<readonly [amounts: Words, code: number, said: string]> = [
    [["1000", "1001"], 0, "2 paid."],
    [["1000", "999.9920"], 3, "1 paid, 1 not paid."],
    [["999.9906", "999.9920"], 3, "0 paid, 1 not paid, 1 check."],
    [["999.9920", "999.9920"], 1, "0 paid, 2 not paid."]
  ]
  for (const [amounts, code, said] of table) {
    test(`${said} ends with ${code}`, function* () {
      const { words } = yield* payroll(...amounts)
      const printed = yield* manilla(words)
      assert.strictEqual(printed.code, code)
      assert.include(printed.out, said)
    })
  }
})

describe("a row of a payroll", () => {
  const codes: Record<results.Line["result"], number> = {
    paid: 0,
    "not paid": 1,
    "not sent": 1,
    check: 3,
    sent: 3,
    "in doubt": 3
  }
  const lineOf = (result: results.Line["result"]) => ({ result }) as results.Line
  const codeOf = (...all: ReadonlyArray<results.Line["result"]>) =>
    results.failureOf(all.map(lineOf), of("en"))?.code ?? 0

  for (const [result, code] of Record.toEntries(codes)) {
    it(`alone that is ${result} ends with ${code}, and with 3 beside another result than its own`, () => {
      assert.strictEqual(codeOf(result, result), code)
      for (const [other, otherCode] of Record.toEntries(codes)) {
        assert.strictEqual(codeOf(result, other), code === otherCode ? code : 3, other)
      }
    })
  }

  /** The result of an item in a state, before its end and, if it has one, at its end. */
  const states: Record<Batch.ItemResult["state"], readonly [open: string, ended?: string]> = {
    waiting: ["not sent"],
    sending: ["in doubt"],
    created: ["sent"],
    unknown: ["in doubt"],
    pending: ["sent"],
    completed: ["sent", "paid"],
    notCompleted: ["sent", "check"],
    failed: ["sent", "not paid"],
    inDoubt: ["sent", "check"],
    purged: ["sent"]
  }
  const refused = new Errors.UnprocessableError({ operation: "o", status: 422, message: "m" })
  const payout = (status: string) => Exit.succeed({ status } as Payout.Payout)
  const endOf = (state: string) =>
    state === "completed"
      ? payout("COMPLETED")
      : state === "notCompleted"
        ? payout("FAILED")
        : Exit.fail(refused)

  it.each(Record.toEntries(states))("in the state %s is %o", (state, [open, ended]) => {
    const row = { line: 2, cells: { employee: "E1" }, item: { key: "E1", request: {} } } as Row
    const resultOf = (end: Batch.ItemResult["end"]) =>
      results.make([row], [{ key: "E1", businessKey: "k", state, end }], [], "", of("en"))[0]
        ?.result
    assert.strictEqual(resultOf(Option.none()), open)
    if (ended !== undefined) assert.strictEqual(resultOf(Option.some(endOf(state))), ended)
  })
})

describe("a command that moves no money", () => {
  const table: ReadonlyArray<readonly [words: string, code: number]> = [
    ["catalogue list", 0],
    ["payments get 7c615cb5-6c9b-4a19-bcdb-b2018d936e50", 1],
    ["payouts get PYT-NONE", 1],
    ["payouts get", 2],
    ["payouts gett", 2],
    ["payouts create --amount x", 2],
    ["payroll nothing.csv", 2],
    ["token obtain", 0],
    ["doctor", 0],
    ["probe", 2],
    ["--help", 0]
  ]
  for (const [words, code] of table) {
    test(`manilla ${words} ends with ${code}`, function* () {
      const printed = yield* manilla(words.split(" "))
      assert.strictEqual(printed.code, code, printed.err + printed.out)
    })
  }

  test("each command ends with 2 for an option that it does not have", function* () {
    const { out } = yield* manilla([])
    const names = [...out.matchAll(/^ {2}manilla ([a-z -]+?) {2,}[A-Z]/gm)].map(
      ([, name = ""]) => name
    )
    assert.includeMembers(names, ["payroll", "payouts disburse", "token obtain", "doctor", "probe"])
    for (const name of names) {
      const printed = yield* manilla([...name.split(" "), "--no-such-option"])
      assert.strictEqual(printed.code, 2, `${name}: ${printed.err}`)
    }
  })

  test("doctor ends with 1 if a check fails", function* () {
    const { code } = yield* manilla(["doctor"], { MANILLA_CLIENT_SECRET: "wrong" })
    assert.strictEqual(code, 1)
  })
})
