/** The commands that are derived from the declared operations. */
import { assert, describe, it } from "@effect/vitest"
import * as FetchClient from "@manilla/core/FetchClient"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Sandboxed from "@manilla/test-support/Sandboxed"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as inputs from "../src/internal/inputs.js"
import { manilla, sandbox, settings, tokenFor, test, tests } from "./utils/manilla.js"

const words = (line: string) => line.split(" ")

const collection = words(
  `--country BJ --amount 1500 --currency XOF --payment-method mtn_momo --payer-phone-number ${phone} --metadata phone=${phone}`
)

const payout = (wallet: string) =>
  words(
    `--wallet-id ${wallet} --amount 1000 --currency XOF --country BJ --payment-method mtn_momo --destination ${phone}`
  )

const link = words("--amount 5000 --currency XOF --country BJ --max-uses 2")

const clients = Sandboxed.overGateway().pipe(Layer.provide(FetchClient.layer), Layer.orDie)

const rows = (out: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Runs a command that must end well, and returns what it prints as JSON. */
const json = (...args: ReadonlyArray<string>) =>
  Effect.map(manilla([...args, "--json"]), ({ code, err, out }) => {
    assert.strictEqual(code, 0, err)
    assert.notInclude(out + err, phone)
    return rows(out)
  })

const first = (...args: ReadonlyArray<string>) =>
  Effect.map(json(...args), ([row]) => row ?? assert.fail("no row"))

const member = (row: Readonly<Record<string, unknown>>, name: string) => String(row[name])

/** A run of the command of each operation that reads. The compiler reports a missing one. */
const reads: Record<
  Exclude<ServiceApi.OperationName, ServiceApi.WriteName>,
  Effect.Effect<unknown, never, Sandbox.Sandbox>
> = {
  "Token.obtain": Effect.gen(function* () {
    const token = yield* first("token", "obtain")
    assert.strictEqual(token["environment"], "SANDBOX")
    assert.strictEqual(token["access_token"], "[hidden]")
  }),
  "Payments.get": Effect.gen(function* () {
    const made = yield* first("payments", "collect", ...collection, "--key", "k")
    const read = yield* first("payments", "get", member(made, "id"))
    assert.strictEqual(read["amount"], "1500.0000")
  }),
  "Payouts.get": Effect.gen(function* () {
    const { MANILLA_WALLET_ID } = yield* settings
    const made = yield* first("payouts", "disburse", "--key", "k", ...payout(MANILLA_WALLET_ID))
    assert.strictEqual(made["status"], "COMPLETED")
    const { out } = yield* manilla(["payouts", "get", member(made, "reference"), "--reveal"])
    assert.include(out, phone)
  }),
  "Transactions.list": Effect.gen(function* () {
    for (const key of ["1", "2", "3"])
      yield* json("payments", "collect", ...collection, "--key", key)
    assert.lengthOf(yield* json("transactions", "list", "--per-page", "2"), 3)
    assert.lengthOf(yield* json("transactions", "list", "--limit", "1"), 1)
    assert.lengthOf(yield* json("transactions", "list", "--status", "FAILED"), 0)
    assert.lengthOf(yield* json("transactions", "list", "--param", "status=FAILED"), 0)
  }),
  "Transactions.get": Effect.gen(function* () {
    yield* json("payments", "collect", ...collection, "--key", "k")
    const listed = yield* first("transactions", "list")
    const read = yield* first("transactions", "get", member(listed, "reference"))
    assert.strictEqual(read["net_amount"], "1477.5000")
  }),
  "Refunds.get": Effect.gen(function* () {
    yield* json("payments", "collect", ...collection, "--key", "k")
    const { refund, transactions } = yield* Sandbox.Sandbox
    const [transaction] = yield* transactions
    const of = transaction?.reference ?? assert.fail("no transaction")
    const made = yield* Effect.orDie(refund({ transaction: of, reason: "returned" }))
    const read = yield* first("refunds", "get", made.reference)
    assert.strictEqual(read["reason"], "returned")
  }),
  "PaymentLinks.list": Effect.gen(function* () {
    yield* json("payment-links", "create", ...link)
    assert.lengthOf(yield* json("payment-links", "list", "--status", "ACTIVE"), 1)
    assert.lengthOf(yield* json("payment-links", "list", "--status", "EXPIRED"), 0)
  }),
  "PaymentLinks.get": Effect.gen(function* () {
    const { id } = yield* first("payment-links", "create", ...link)
    assert.strictEqual((yield* first("payment-links", "get", String(id)))["id"], id)
  }),
  "Cards.list": Effect.map(json("cards", "list"), (cards) => assert.deepStrictEqual(cards, [])),
  "Cardholders.list": Effect.map(first("cardholders", "list"), (row) => assert.property(row, "id")),
  "Cardholders.get": Effect.gen(function* () {
    const { id } = yield* first("cardholders", "list")
    const holder = yield* first("cardholders", "get", String(id))
    for (const name of ["first_name", "contact", "dob", "id_number"]) {
      assert.strictEqual(holder[name], "[hidden]")
    }
  }),
  "Catalogue.list": Effect.map(first("catalogue", "list"), (row) =>
    assert.deepNestedInclude(row, { "country.code": "BJ" })
  )
}

/** A request as options: `{ payer: { phone_number: "1" } }` is `--payer-phone-number 1`. */
const optionsOf = (request: object, path = "-"): ReadonlyArray<string> =>
  Object.entries(request).flatMap(([name, value]: readonly [string, unknown]) => {
    const option = `${path}-${inputs.kebab(name)}`
    return Predicate.isRecord(value) ? optionsOf(value, option) : [option, String(value)]
  })

/** The arguments of the command of a write, and of the one that follows what it makes, if there is one. */
const commandsOf = ({ finish, name, operation, request }: writes.Write) =>
  Effect.map(request, (good) =>
    [name, ...(finish === undefined ? [] : [finish.name])].map((command) => {
      const [group = "", verb = ""] = command.split(".")
      const { operation: kind, ...rest } = { operation: undefined, ...good }
      // The command that follows a payment sets its kind.
      const options = optionsOf(command === name && kind !== undefined ? good : rest)
      const key = operation.replay._tag === "Keyed" ? ["--key", "k"] : []
      return [inputs.kebab(group), verb, ...options, ...key]
    })
  )

/** Runs the command of a write, twice if it has a key: it must send the request, and show no phone number. */
const runWrite = (write: writes.Write) =>
  Effect.gen(function* () {
    const { keyField, name, operation, request } = write
    const good = yield* request
    const isKeyed = operation.replay._tag === "Keyed"
    const [args = []] = yield* commandsOf(write)
    const made = yield* json(...args)
    if (isKeyed) assert.deepStrictEqual(yield* json(...args), made)
    const { exchanges } = yield* Sandbox.Sandbox
    const sent = (yield* exchanges).filter((exchange) => exchange.operation === name)
    assert.lengthOf(sent, isKeyed ? 2 : 1)
    for (const { body } of sent) {
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(Redacted.value(body))), {
        ...good,
        ...(keyField !== undefined && { [keyField]: "k" })
      })
    }
  })

describe("the command of each operation", () => {
  for (const [name, run] of Record.toEntries(reads)) {
    it.live(name, () => Effect.provide(run, sandbox()))
  }
  for (const write of writes.all) {
    it.live(write.name, () =>
      Effect.provide(runWrite(write), Layer.provideMerge(clients, sandbox()))
    )
  }
})

test("the overview lists each operation", function* () {
  const { code, out } = yield* manilla([])
  assert.strictEqual(code, 0)
  for (const { summary } of ServiceApi.operations.values()) assert.include(out, summary)
  for (const line of out.split("\n")) assert.isAtMost(line.length, 100)
})

const wrong: ReadonlyArray<readonly [line: string, said: string]> = [
  ["payroll salaries.csv", "salaries.csv cannot be read. Check its name, or write it with"],
  [
    "transactions list --statu COMPLETED",
    "There is no option --statu. Did you mean --status? `manilla transactions list --help` lists"
  ],
  ["cards list --limit 0", "--limit must be at least 1. `manilla cards list --help` lists"],
  ["cards list --bogus", "There is no option --bogus. `manilla cards list --help` lists"],
  ["payrol x.csv", "There is no such command. Did you mean payroll? `manilla` lists"],
  [
    "payments collect --phone=1 --key k --country BJ",
    "There is no option --phone. Did you mean --payer-phone-number? `manilla payments collect --help` lists"
  ],
  ["payments gte 1", "There is no such command. Did you mean payments get? `manilla` lists"],
  [
    "payouts create --key k --amount 1",
    "Expected to find option: '--wallet-id', '--currency', '--country', '--payment-method', '--destination'. `manilla payouts create"
  ]
]

describe("wrong arguments end in one line with the remedy", () => {
  for (const [line, said] of wrong) {
    test(line, function* () {
      const { code, err, out } = yield* manilla(words(line))
      assert.strictEqual(code, 2)
      assert.strictEqual(err.slice(0, said.length), said)
      assert.deepStrictEqual([out, err.indexOf("\n")], ["", err.length - 1])
    })
  }
})

test("the help of a command starts with its usage, and says nothing about types of text", function* () {
  const { code, out } = yield* manilla(["payouts", "get", "--help"])
  assert.strictEqual(code, 0)
  assert.match(out, /^manilla payouts get \[--json\] \[--reveal\] <reference>\n\nDESCRIPTION\n/)
  assert.notInclude(out, "user-defined")
})

const made = Effect.flatMap(Sandbox.Sandbox, ({ paymentIntents, payouts }) =>
  Effect.map(Effect.all([paymentIntents, payouts]), (all) => all.flat().length)
)

describe("a write", () => {
  test("shows a phone number only with --reveal", function* () {
    const { MANILLA_WALLET_ID } = yield* settings
    const ofPayout = ["payouts", "create", "--key", "k", ...payout(MANILLA_WALLET_ID)]
    const followed = ["payouts", "disburse", "--key", "f", ...payout(MANILLA_WALLET_ID)]
    const ofPayment = ["payments", "create", "--operation", "DEPOSIT", "--key", "k", ...collection]
    for (const [args, member] of [
      [ofPayout, "destination"],
      [followed, "destination"],
      [["payments", "collect", "--key", "c", ...collection], "metadata"],
      [ofPayment, "metadata"]
    ] as const) {
      assert.strictEqual((yield* first(...args))[member], "[hidden]")
      assert.include((yield* manilla([...args, "--json", "--reveal"])).out, phone)
    }
  })

  test("that is followed shows no phone number that the service repeats in a refusal", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const { MANILLA_WALLET_ID } = yield* settings
    const error = { code: "FORBIDDEN", message: `no scope for ${phone}` }
    const body = JSON.stringify({ success: false, data: { error }, meta: {} })
    for (const [operation, args] of [
      ["Payments.get", ["payments", "collect", ...collection]],
      ["Payouts.get", ["payouts", "disburse", ...payout(MANILLA_WALLET_ID)]]
    ] as const) {
      yield* faults.add(Fault.status(403, { operation, count: "always", body }))
      const { code, err, out } = yield* manilla([...args, "--key", "k"])
      assert.strictEqual(code, 3)
      assert.include(err, "It exists.")
      assert.include(err, "FORBIDDEN")
      assert.notInclude(err + out, phone)
    }
  })

  for (const [status, expected] of [
    ["COMPLETED", 0],
    ["FAILED", 3]
  ] as const) {
    test(`that is followed and ${status} when it is made is not read`, function* () {
      const { faults } = yield* Sandbox.Sandbox
      const id = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"
      const data = { id, status, amount: "1500.0000", currency: "XOF" }
      const body = JSON.stringify({ success: true, data, meta: {} })
      yield* faults.add(Fault.body(body, { operation: "Payments.create" }))
      yield* faults.add(Fault.status(403, { operation: "Payments.get", count: "always" }))
      const args = ["payments", "collect", "--key", "k", ...collection]
      const { code, err, out } = yield* manilla(args)
      assert.strictEqual(code, expected, err)
      assert.include(out, id)
      assert.include(out, status)
    })
  }

  test("needs its key", function* () {
    const { code, err } = yield* manilla(["payments", "collect", ...collection])
    assert.strictEqual(code, 2)
    assert.include(err, "--key")
    assert.strictEqual(yield* made, 0)
  })

  test("is checked before it is sent", function* () {
    const args = ["payments", "collect", "--key", "k", ...collection]
    const { code, err } = yield* manilla(args.map((arg) => (arg === "1500" ? "1,5" : arg)))
    assert.strictEqual(code, 1)
    assert.match(err, /Payments.create was not sent: --amount must be digits/)
    const got = yield* manilla(["payments", "get", "12"])
    assert.include(got.err, "Payments.get was not sent: payment-intent must be a UUID")
    assert.strictEqual(yield* made, 0)
  })

  for (const write of writes.all) {
    for (const environment of ["LIVE", "ANOTHER"]) {
      Test.over(Layer.provideMerge(clients, sandbox())).live(
        `asks before ${write.name} in the environment ${environment}`,
        function* () {
          const { exchanges, faults } = yield* Sandbox.Sandbox
          const commands = yield* commandsOf(write)
          const body = tokenFor(environment)
          yield* faults.add(Fault.body(body, { operation: "Token.obtain", count: "always" }))
          for (const args of commands) {
            const before = (yield* exchanges).length
            const printed = yield* manilla(args, { MANILLA_ENVIRONMENT: undefined })
            assert.strictEqual(printed.code, 2)
            assert.include(printed.err, `in the environment ${environment}, where money is real?`)
            assert.notInclude(printed.err, phone)
            const sent = (yield* exchanges).slice(before).map(({ operation }) => operation)
            assert.deepStrictEqual(sent, ["Token.obtain"])
          }
        }
      )
    }
  }

  test("whose outcome is unknown says how to continue, and is continued by the same command", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const { MANILLA_WALLET_ID } = yield* settings
    yield* faults.add(Fault.body("<html>", { operation: "Payouts.create", count: 5 }))
    const args = ["payouts", "disburse", "--key", "k 1", ...payout(MANILLA_WALLET_ID)]
    const { code, err } = yield* manilla(args)
    assert.strictEqual(code, 3)
    assert.notInclude(err, phone)
    assert.include(err, 'Retry the same request with the same key, "k 1"')
    const continued = yield* manilla(args)
    assert.strictEqual(continued.code, 0)
    assert.strictEqual(yield* made, 1)
  })

  tests({ settleAfter: "1 hour" })("that is stopped meanwhile says that it exists", function* () {
    let said = ""
    const args = ["payments", "collect", "--key", "k", ...collection]
    const running = yield* Effect.fork(
      manilla(args, {}, (text) => Effect.sync(() => void (said += text)))
    )
    const reads = Effect.flatMap(Sandbox.Sandbox, ({ exchanges }) =>
      Effect.map(exchanges, (all) => all.some(({ operation }) => operation === "Payments.get"))
    )
    yield* Effect.repeat(Effect.delay(reads, "20 millis"), { until: (isRead) => isRead })
    yield* Fiber.interrupt(running)
    assert.include(said, "Stopped. It exists. The same command with the same key follows it")
  })

  test("that ends without COMPLETED says so", function* () {
    const args = ["payments", "collect", "--key", "k", ...collection]
    const { code, err, out } = yield* manilla(
      args.map((arg) => (arg === "1500" ? "999.9905" : arg))
    )
    assert.include(out, "FAILED")
    assert.strictEqual(code, 3)
    assert.include(err, "The final status is FAILED, not COMPLETED")
  })
})

describe("a list", () => {
  test("fits the terminal, and names what it leaves out", function* () {
    yield* json("payments", "collect", ...collection, "--key", "k")
    const { err, out } = yield* manilla(["transactions", "list"])
    const [header = "", row = ""] = out.split("\n")
    assert.isAtMost(Math.max(header.length, row.length), 100)
    assert.match(header, /^reference +status +amount/)
    assert.match(err, /^Not shown here: id, /)
  })

  test("always shows the status, the amount and the currency", function* () {
    const args = collection.map((arg) => (arg === "1500" ? "123456789" : arg))
    yield* json("payments", "collect", ...args, "--key", "k")
    const { out } = yield* manilla(["transactions", "list"])
    const [header = "", row = ""] = out.split("\n")
    assert.includeMembers(header.split(/ +/), ["reference", "status", "amount", "currency"])
    assert.include(row, " 123456789.0000 ")
  })

  test("is CSV with the names of its columns", function* () {
    const { out } = yield* manilla(["catalogue", "list", "--csv", "--limit", "1"])
    assert.strictEqual(
      out,
      "country.code,country.name,currency.code,currency.name,operation,payment_method,available\n" +
        "BJ,Benin,XOF,West African CFA franc,COLLECTION,mtn_momo,true\n"
    )
  })

  test("prints what it can read without the page parameter, and says how to read more", function* () {
    for (const key of ["1", "2"]) yield* json("payments", "collect", ...collection, "--key", key)
    const { code, err, out } = yield* manilla(
      ["transactions", "list", "--json", "--per-page", "1"],
      { MANILLA_PAGE_PARAMETER: undefined }
    )
    assert.strictEqual(code, 1)
    assert.lengthOf(rows(out), 1)
    assert.include(err, "Set MANILLA_PAGE_PARAMETER")
  })

  test("names each setting that is missing", function* () {
    const { code, err } = yield* manilla(["cards", "list"], {
      MANILLA_CLIENT_ID: undefined,
      MANILLA_BASE_URL: undefined
    })
    assert.strictEqual(code, 2)
    assert.match(err, /^MANILLA_BASE_URL is not set; MANILLA_CLIENT_ID is not set\. .*\n$/)
  })
})
