/** The operations of the command and of the page, in memory. */
import { assert, it } from "@effect/vitest"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Test from "@manilla/test-support/Test"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Names from "@manilla/workflow-engine/Names"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Arbitrary from "effect/Arbitrary"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { type EngineStore, forOperator } from "../../workflow-engine/src/internal/engineStore.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import {
  afterRequest,
  businessKey as businessKeyOf,
  workflowName
} from "../src/internal/batch/rules.js"
import * as rules from "../src/internal/batch/rules.js"
import { driver } from "../src/internal/operate/cli.js"
import { operations, run } from "../src/internal/operate/operations.js"
import * as words from "../src/internal/operate/words.js"
import { WriteError } from "../src/internal/write.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"
import { execution } from "../../workflow-engine/test/utils/executions.js"

const Approval = Workflow.make({
  name: "Test/Approval/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

/** A store with one execution. */
const storeWith = (one: Partial<Execution.Execution>) =>
  Effect.tap(memoryStore.make, (store) => store.insert({ ...execution, ...one }))

/** The text of an operation, also if it is refused. */
const print = (store: EngineStore, name: string, input: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const operation = operations[name]
    assert.isDefined(operation)
    const { text } = yield* run(forOperator(store), operation, input)
    return Chunk.join(yield* Stream.runCollect(text), "\n")
  }).pipe(
    Effect.catchTag("Refused", ({ message, status }) => Effect.succeed(`${status}: ${message}`))
  )

Test.live("an execution that waits for a signal has no time at which it is due", function* () {
  const executions = yield* memoryStore.make
  const rows = (name: string, input: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const operation = operations[name]
      assert.isDefined(operation)
      const answer = yield* run(forOperator(executions), operation, input)
      return Chunk.toReadonlyArray(yield* Stream.runCollect(answer.rows))
    })
  const approvals = Approval.toLayer(() => DurableDeferred.await(DurableDeferred.make("yes")))
  yield* Effect.gen(function* () {
    const operator = yield* Operator.of(Approval)
    yield* operator.start({ key: "order-42" })
    yield* Effect.repeat(Effect.delay(operator.status("order-42"), "10 millis"), {
      until: ({ pause }) => pause !== undefined
    })
  }).pipe(Effect.provide(Layer.provideMerge(approvals, engines.on(executions))))

  for (const [name, input] of [
    ["list", {}],
    ["show", { key: "order-42" }]
  ] as const) {
    const [row] = yield* rows(name, input)
    assert.strictEqual(row?.["now"], "waits for a signal")
    assert.isUndefined(row?.["due"])
  }
  const resumed = yield* print(executions, "resume", { key: "order-42" })
  assert.include(resumed, "It waits for a signal. It looks again as soon as a process")
  const [summary] = yield* rows("summary", {})
  assert.strictEqual(summary?.["workflow"], "Test/Approval/1")
  assert.strictEqual(summary?.["waiting"], 1)
})

Test.effect("an execution that waits for another one has no pause to resume", function* () {
  const store = yield* storeWith({ pause: Names.make("child", { id: "0".repeat(32) }) })
  const resumed = yield* print(store, "resume", { key: "order-42" })
  assert.include(resumed, "It waits for another execution.")
  const paused = yield* print(store, "pause", { key: "order-42" })
  assert.include(paused, "409: only a batch can be paused.")
})

Test.live("control characters of a key reach no terminal", function* () {
  const executions = yield* memoryStore.make
  const key = "order\u001b]0;owned\u0007\u001b[2J"
  yield* Effect.gen(function* () {
    const operator = yield* Operator.of(Approval)
    yield* operator.start({ key })
  }).pipe(Effect.provide(engines.on(executions)))
  for (const name of ["list", "show", "resume"]) {
    const printed = yield* print(executions, name, name === "list" ? {} : { key })
    assert.include(printed, "order\u{fffd}]0;owned\u{fffd}\u{fffd}[2J", name)
    assert.notMatch(printed, /[^\n\P{Cc}]/u)
  }
})

Test.effect("a driver that is not installed is named", function* () {
  const missing = Object.assign(new Error("no package"), { code: "ERR_MODULE_NOT_FOUND" })
  const refused = yield* Effect.flip(driver("@effect/sql-pg pg", () => Promise.reject(missing)))
  assert.strictEqual(
    refused.message,
    "the driver of this database is not installed: npm install @effect/sql-pg pg"
  )
  const bug = new Error("a bug")
  const exit = yield* Effect.exit(driver("pg", () => Promise.reject(bug)))
  assert.deepStrictEqual(exit, Exit.die(bug))
})

it.effect.each(["order-\0", "order-\ud800"])("refuses a key that no database stores: %j", (key) =>
  Effect.gen(function* () {
    const show = operations["show"]
    assert.isDefined(show)
    const refused = yield* Effect.flip(run(forOperator(yield* memoryStore.make), show, { key }))
    assert(refused._tag === "Refused")
    assert.strictEqual(refused.status, 400)
    assert.match(
      refused.message,
      /^key must be well-formed text of at most 600 characters, without a lone surrogate or the/
    )
  })
)

Test.effect("a failure of the store is worth repeating", function* () {
  const away = () => Effect.fail(new Execution.StorageError({ operation: "list", cause: "away" }))
  const store = { ...(yield* memoryStore.make), list: away }
  assert.match(yield* print(store, "list", {}), /^503: /)
  assert.match(yield* print(store, "show", { key: "order-42" }), /^503: /)
})

Test.effect("a batch whose start still stores its items is known", function* () {
  const store = yield* memoryStore.make
  yield* store.batches.insert("payroll", 1)
  for (const name of ["show", "results", "pause", "interrupt"]) {
    assert.match(yield* print(store, name, { key: "payroll" }), /^409: its items are not stored/)
  }
  assert.match(yield* print(store, "show", { key: "other" }), /^404: /)
})

const waiting = { ...execution, dueMillis: 10_000 }

const id = "0123456789abcdef0123456789abcdef"
const succeeded = (value?: unknown) => JSON.stringify({ _tag: "Success", value })
const interrupted = JSON.stringify({
  _tag: "Failure",
  cause: {
    _tag: "Parallel",
    left: { _tag: "Interrupt", fiberId: { _tag: "None" } },
    right: { _tag: "Interrupt", fiberId: { _tag: "None" } }
  }
})

it.each([
  ["reserve/1", succeeded(), "reserve: done"],
  ["orders/ship/2", succeeded(), "orders/ship: done"],
  ["write/1", succeeded({ _tag: "Done" }), "write: done"],
  ["look/1", interrupted, "look: ended because it was interrupted"],
  ["deferred/approved", succeeded(), "approved: done"],
  ["step/ask the buyer/1", succeeded(), "ask the buyer: done"],
  ["compensating/part 1/1", succeeded(2), "part 1: is undone"],
  ["compensating/part 2/1", succeeded(0), "part 2: has nothing that may be undone"],
  [`child/${id}/begun`, succeeded(), `${id}: started`],
  [`child/${id}/1`, succeeded({}), `${id}: ended`],
  ["begin/Shop.pay/0/1", succeeded(), "Shop.pay, request 1: sent"],
  ["look/final/1/1", succeeded({ _tag: "Done" }), "final, look 2: final"]
])("the step %s of a user or of a block is named as in its body", (name, exit, expected) => {
  const step = { name, exit, storedMillis: 0 }
  const [event] = words.events(waiting, [step]).slice(1)
  assert.strictEqual(event && words.line(event), expected)
})

it.each([
  ["until the next day", "It sleeps (until the next day). It continues"],
  ["wait", "It sleeps (wait). It continues"],
  ["carry-on", "It sleeps (carry-on). It continues"],
  ["signal", "It sleeps (signal). It continues"],
  ["sleep/the night", "It sleeps (the night). It continues"],
  ["signal/approval", "It waits for the signal approval. It gives it up"],
  ["wait/final/3", "It has no final status yet. It looks again"],
  ["carry-on/Shop.pay/0", "The outcome of Shop.pay is unknown. It sends again the same request"]
])("the pause %s of a user is not taken for one of a block", (pause, expected) => {
  const { text } = words.state(Execution.toStatus({ ...waiting, pause }), 0, true)
  assert.isTrue(text.startsWith(expected), text)
})

it.each([
  ["sleep/the night", "Its pause ends now, and it continues."],
  ["wait/final/3", "It reads the status now."],
  ["carry-on/Shop.pay/0", "It sends the same request again now, with the same key."],
  [
    "signal/approval",
    "It gives up the signal approval now, as at its deadline, and continues without it."
  ],
  [`child/${id}`, undefined],
  [undefined, undefined]
])("the effect of a resume during the pause %s is told", (pause, expected) => {
  assert.strictEqual(words.resuming({ ...waiting, pause }), expected)
})

it.each([
  [0, "when taken up"],
  [60_000, "late"],
  [99_000, "now"],
  [100_000, "now"],
  [101_000, "in 1 s"]
])("a pause that is over at %i, read 100 seconds after the start, ends %s", (dueMillis, soon) => {
  const status = Execution.toStatus({ ...waiting, pause: "carry-on/Shop.pay/0", dueMillis })
  assert.strictEqual(words.state(status, 100_000, true).brief, `sends again ${soon}`)
})

it.effect.each(["pause", "interrupt", "resume"])(
  "refuses %s of an execution that has ended",
  (name) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      for (const state of ["Succeeded", "Failed", "Died"] as const) {
        const executionId = `id-${state}`
        yield* store.insert({
          ...execution,
          executionId,
          workflow: state,
          end: { state, atMillis: 2 }
        })
        const refused = yield* print(store, name, { key: execution.businessKey, workflow: state })
        assert.include(refused, "409: it has already ended")
        const stored = yield* Effect.flatten(store.read(executionId))
        assert.isFalse(stored.isCancelRequested)
      }
    })
)

const alive = { name: "process 1 on here", silentMillis: 2_000, isAlive: true }
const gone = { name: "process 2 on there", silentMillis: 180_000, isAlive: false }

it.effect.each([
  [[], "No process runs workflows on this database: nothing happens until one starts."],
  [[gone], "Those that ran them are gone: process 2 on there (seen 3 minutes ago)."],
  [[gone, alive], "Workflows are run by process 1 on here (seen 2 s ago)."]
] as const)("summary, list and show say who runs workflows: %j", ([runners, last]) =>
  Effect.gen(function* () {
    const memory = yield* memoryStore.make
    const list = Effect.succeed(runners)
    const store = { ...memory, runners: { ...memory.runners, list } }
    yield* store.insert(execution)
    const isRun = runners.some(({ isAlive }) => isAlive)
    for (const name of ["summary", "list", "show"]) {
      const printed = yield* print(store, name, { key: execution.businessKey })
      assert.include(printed, last, name)
      if (name !== "summary") assert.include(printed, isRun ? "runs" : "waits for a process", name)
    }
  })
)

Test.effect("an execution that was purged is not open, and show says so", function* () {
  const end = { state: "Succeeded", atMillis: 2 } as const
  const store = yield* storeWith({ payload: "", end, isPurged: true })
  assert.include(yield* print(store, "list", {}), "none is open: --state all also lists")
  const shown = yield* print(store, "show", { key: "order-42" })
  assert.include(shown, "Its stored data was purged. The key stays taken.")
  assert.notInclude(shown, "runs workflows")
})

Test.effect("the end of an execution that was purged is not called a defect", function* () {
  const end = { state: "Failed", atMillis: 2 } as const
  const store = yield* storeWith({ payload: "", end, isPurged: true })
  const shown = yield* print(store, "show", { key: "order-42" })
  assert.include(shown, "failed; the details were purged")
  assert.notInclude(shown, "a defect")
})

it.effect.each(["resume", "interrupt", "purge"])(
  "%s of a key of two workflows changes neither",
  (name) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      yield* store.insert(execution)
      yield* store.insert({ ...execution, executionId: "another", workflow: "Shop/Refund/1" })
      const before = yield* print(store, "show", { key: "order-42" })
      const message = yield* print(store, name, { key: "order-42" })
      assert.include(message, "409: several workflows have this key")
      assert.strictEqual(yield* print(store, "show", { key: "order-42" }), before)
    })
)

it.effect.each([
  ["pause", "running", "It is paused. Items that were sent continue."],
  ["pause", "paused", "It is paused."],
  ["pause", "interrupted", "409: it was interrupted for good, and nothing was changed"],
  ["resume", "interrupted", "409: it was interrupted for good, and nothing was changed"],
  ["pause", "ended", "409: it has already ended"],
  ["pause", "storing", "409: its items are not stored yet: nothing was sent."],
  ["resume", "paused", "It sends its items."],
  ["resume", "running", "It sends its items."],
  ["interrupt", "paused", "It is interrupted. Items that were sent continue."],
  ["interrupt", "interrupted", "It is interrupted."],
  ["interrupt", "ended", "409: it has already ended"],
  ["resume", "ended", "409: it has already ended"],
  ["interrupt", "storing", "409: its items are not stored yet: nothing was sent."],
  ["purge", "ended", "Its stored data was purged. The key stays taken."],
  ["results", "storing", "409: its items are not stored yet: nothing was sent."]
] as const)("%s of a batch that is %s says in which state it is", ([name, phase, expected]) =>
  Effect.gen(function* () {
    const end = phase === "ended" ? ({ state: "Succeeded", atMillis: 2 } as const) : undefined
    const store = yield* storeWith({ workflow: workflowName, end })
    yield* store.batches.insert("order-42", 1)
    yield* store.batches.change("order-42", { phase }, {})
    assert.include(yield* print(store, name, { key: "order-42" }), expected)
  })
)

Test.effect("three unpaid items among 2,000 are listed first, with reasons", function* () {
  const store = yield* storeWith({ workflow: workflowName })
  yield* store.batches.insert("order-42", 1)
  const request = JSON.stringify({ amount: "1500", currency: "XOF", destination: "+22901" })
  const all = Array.from({ length: 2_000 }, (_, number) => ({ number, key: `E${number}`, request }))
  yield* store.batches.add("order-42", 0, all)
  yield* store.batches.change("order-42", { phase: "running", total: all.length }, {})
  const answer = { operation: "Payouts.create", status: 422 }
  const refused = (message: string) =>
    afterRequest(Exit.fail(new Errors.UnprocessableError({ ...answer, message })))
  const differs = new Errors.KeyReused({
    ...answer,
    message: "another request has this key",
    key: IdempotencyKey.make("E1999"),
    differs: [],
    attempts: 2
  })
  const paid = all.map(({ number }) => ({ number, state: "completed" as const }))
  yield* store.batches.write("order-42", 0, paid)
  yield* store.batches.write("order-42", 0, [
    { number: 0, ...refused("the number is blocked") },
    { number: 900, ...refused("the limit of the day is reached") },
    { number: 1_999, ...afterRequest(Exit.fail(differs)) }
  ])
  const items = (input: Readonly<Record<string, string>>) =>
    Effect.map(print(store, "items", { key: "order-42", ...input }), (text) =>
      text.split("\n").slice(1)
    )
  const unpaid = [
    /^E0 +1,500 XOF +failed +the number is blocked$/,
    /^E900 +1,500 XOF +failed +the limit of the day is reached$/,
    /^E1999 +1,500 XOF +inDoubt +the money may have moved: another/
  ]
  const lines = yield* items({})
  assert.deepStrictEqual(lines.slice(unpaid.length), [
    "",
    "failed: This batch has paid nothing for it, and does not send it again. If its key was never used before, pay the corrected row in a new batch.",
    "inDoubt: The money may have moved. Ask the service about its key before you pay it in any other way."
  ])
  unpaid.forEach((pattern, i) => assert.match(lines[i] ?? "", pattern))
  assert.match((yield* items({ item: "E900" })).join(), /^E900 /)
  assert.match((yield* items({ item: "E1" })).join(), /^E1 is not in this list: --only all/)
  assert.match((yield* items({ after: "1999" })).join(), /^no item has ended without being paid/)
  assert.match((yield* items({ item: "E1", only: "all" })).join(), /^E1 .* completed/)
  const page = yield* items({ only: "all", limit: "9999" })
  const rows = page.filter((line) => /^E\d/.test(line))
  assert.lengthOf(rows, 500)
  assert.strictEqual(page.at(-1), "There may be more: --after 499")
  assert.match((yield* items({ only: "all", after: "0", limit: "1" })).join(), /^E1 /)
  assert.notInclude(lines.join(), "+22901")
})

/** A batch whose items have these states, and pay 0.1 XOF and 2,500 USD in turns. */
const batchOf = (states: ReadonlyArray<Batches.State>, store: EngineStore) =>
  Effect.gen(function* () {
    yield* store.insert({ ...execution, businessKey: "payroll", workflow: workflowName })
    yield* store.batches.insert("payroll", 1)
    const all = states.map((_, number) => ({
      number,
      key: `E${number}`,
      request: JSON.stringify(
        number % 2 === 0 ? { amount: "0.1", currency: "XOF" } : { amount: "2500", currency: "USD" }
      )
    }))
    yield* store.batches.add("payroll", 0, all)
    const changes = states.map((state, number) => ({
      number,
      state,
      sent: state === "waiting" ? null : 1
    }))
    yield* store.batches.write("payroll", 0, changes)
    yield* store.batches.change("payroll", { phase: "running", total: states.length }, {})
  })

Test.effect("a batch shows its exact money by state and currency, and its pace", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(
    ["completed", "failed", "unknown", "inDoubt", "completed", "waiting", "completed"],
    store
  )
  // It waits again after a refusal that passes.
  yield* store.batches.write("payroll", 0, [{ number: 5, state: "waiting", sent: 1 }])
  yield* TestClock.adjust("1 minute")
  const shown = yield* print(store, "show", { key: "payroll" })
  assert.include(
    shown,
    `  It sends its items. Of its 7 items: 1 not paid, 2 in doubt.
  7  0.4 XOF and 7,500 USD  in total
  3                0.3 XOF  paid
  1                0.1 XOF  in doubt: their requests are continued with the same keys
  1              2,500 USD  in doubt: ask the service about each of them
  1              2,500 USD  not paid: the request was refused
  1              2,500 USD  not sent
  Sent in the last 1 minute: 6. At this pace, the last of 1 more is sent in 10 s.`
  )
  yield* TestClock.adjust("1 hour")
  const later = yield* print(store, "show", { key: "payroll" })
  assert.include(later, "No item was sent in the last 1 minute.")
  assert.match(yield* print(store, "list", {}), /^payroll .* 1 not paid, 2 in doubt; sends/m)
})

Test.effect("a batch of more than 100,000 items has no sums and no pace", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(["completed", "failed", "waiting"], store)
  yield* store.batches.change("payroll", { total: 100_001 }, {})
  const shown = yield* print(store, "show", { key: "payroll" })
  assert.match(shown, /1 {4}paid\n {2}1 {4}not paid: the request was refused\n {2}1 {4}not sent\n/)
  assert.include(
    shown,
    `The money of more than 100,000 items is not added up here: "results --csv" has the amount of each payout that ended, and "items" that of any item.`
  )
})

Test.effect("an item that is being sent may have been sent if no runner is alive", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(["sending"], store)
  const shown = Effect.all([
    print(store, "show", { key: "payroll" }),
    print(store, "items", { key: "payroll", only: "open" })
  ])
  for (const text of yield* shown) {
    assert.include(text, "may have been sent; no runner is alive")
    assert.notInclude(text, "being sent")
  }
  yield* store.runners.join
  for (const text of yield* shown) assert.include(text, "being sent")
})

Test.effect("an item whose payout has failed names the payout", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(["sending"], store)
  const [created] = FastCheck.sample(Arbitrary.make(Payout.CreatedPayout), { numRuns: 1, seed: 1 })
  assert(created !== undefined)
  const reference = Payout.makeReference("PO-7")
  const failed = rules.afterRequest(Exit.succeed({ ...created, reference, status: "FAILED" }))
  yield* store.batches.write("payroll", 0, [{ number: 0, ...failed }])
  const listed = yield* print(store, "items", { key: "payroll", only: "notPaid" })
  assert.include(listed, "the payout PO-7 ended FAILED")
})

Test.effect("a list does not count the doubts of a large open batch, and says so", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(["completed", "unknown", "inDoubt", "failed"], store)
  yield* store.batches.change("payroll", { total: 20_001 }, {})
  yield* store.runners.join
  assert.match(yield* print(store, "list", {}), /^payroll .* doubts: see show; sends its items/m)
  assert.include(yield* print(store, "show", { key: "payroll" }), "in doubt: ask the service")
})

it.effect.each([
  ["waiting", "Its batch sends it. To prevent that, pause or interrupt the batch."],
  ["sending", "Its batch continues the same request with the same key when a runner starts"],
  ["created", "look again in a moment"],
  ["completed", "It is paid"],
  [
    "failed",
    "This batch has paid nothing for it, and does not send it again. If its key was never used before, pay the corrected row in a new"
  ],
  [
    "notCompleted",
    "Ask the service whether the money has moved before you pay it in any other way"
  ],
  ["inDoubt", "The money may have moved. Ask the service about its key before you pay it in any"]
] as const)("an item that is %s is neither tried again nor given up alone", ([state, why]) =>
  Effect.gen(function* () {
    const store = yield* memoryStore.make
    yield* batchOf([state], store)
    for (const name of ["resume", "interrupt"]) {
      const refused = yield* print(store, name, { key: "payroll", item: "E0" })
      assert.include(refused, `409: nothing was changed: E0 is ${state}.`)
      assert.include(refused, why)
    }
    const unknown = yield* print(store, "resume", { key: "payroll", item: "E1" })
    assert.strictEqual(unknown, "404: the batch has no item E1")
  })
)

Test.effect("an item in doubt is tried again or given up by its own key", function* () {
  const store = yield* memoryStore.make
  yield* batchOf(["unknown"], store)
  const businessKey = yield* businessKeyOf("payroll", "E0")
  const executionId = "handed-over"
  yield* store.insert({
    ...execution,
    workflow: DisbursePayout.workflow.name,
    businessKey,
    executionId,
    payload: JSON.stringify({ sentMillis: 0 }),
    pause: "carry-on/Payouts.disburse/0",
    clocks: { "carry-on/Payouts.disburse/0": 40_000 },
    dueMillis: 40_000
  })
  const listed = yield* print(store, "items", { key: "payroll", only: "inDoubt" })
  assert.match(listed, /^E0 +0.1 +XOF +unknown +the money may have moved; sends again in 40 s$/m)
  const resumed = yield* print(store, "resume", { key: "payroll", item: "E0" })
  assert.include(resumed, `${businessKey} of ${DisbursePayout.workflow.name}`)
  assert.strictEqual((yield* Effect.flatten(store.read(executionId))).dueMillis, 0)
  yield* print(store, "interrupt", { key: "payroll", item: "E0" })
  assert.isTrue((yield* Effect.flatten(store.read(executionId))).isCancelRequested)
})

const step = (name: string, value?: unknown) => ({ name, exit: succeeded(value), storedMillis: 0 })
const open = (error: Errors.KeyedWriteError) => ({
  _tag: "Open",
  error: Schema.encodeSync(WriteError)(error),
  pauseMillis: 1
})
const lost = new Errors.OutcomeUnknown({
  operation: "Shop.pay",
  message: "lost",
  key: IdempotencyKey.make("k"),
  attempts: 1,
  cause: new Errors.TransportError({ operation: "Shop.pay", message: "lost", sent: true })
})
const limited = new Errors.RateLimitError({ operation: "Shop.pay", message: "wait", status: 429 })

it.each([
  ["before its first request", {}, [], "It stops for good, before it sends another request."],
  [
    "after a refusal",
    {},
    [step("begin/Shop.pay/0/1"), step("write/Shop.pay/0/1", open(limited))],
    "It stops for good, before it sends another request."
  ],
  [
    "after no clear answer",
    {},
    [step("begin/Shop.pay/0/1"), step("write/Shop.pay/0/1", open(lost))],
    "The money may have moved: the outcome of its request is unknown. It sends the same request again with the same key until the outcome is known or its deadline is over, and then stops. It sends nothing under another key."
  ],
  ["while a request is under way", {}, [step("begin/Shop.pay/0/1")], "The money may have moved"],
  [
    "that was handed over",
    { payload: JSON.stringify({ sentMillis: 1 }) },
    [],
    "The money may have moved"
  ],
  ["with a payout", { resource: "PYT-1" }, [], "It has made PYT-1, which stays made"]
])("an interrupt %s says what it does to the money", (_, changed, steps, expected) => {
  const one = { ...execution, ...changed }
  assert.include(words.interrupting(one, words.events(one, steps)), expected)
})

Test.effect("lists by time and by failure, and the newest first", function* () {
  const store = yield* memoryStore.make
  const exit = (message: string) =>
    Schema.encodeSync(exitJson(Schema.Void, WriteError))(
      Exit.fail(new Errors.UnprocessableError({ operation: "Shop.pay", status: 422, message }))
    )
  for (const [businessKey, startedMillis, message] of [
    ["old", 1_000, "BLOCKED"],
    ["middle", 2_000, "LIMIT"],
    ["new", 3_000, "BLOCKED"]
  ] as const) {
    const end = { state: "Failed", atMillis: 4_000 } as const
    const one = { ...execution, businessKey, executionId: businessKey, startedMillis, end }
    yield* store.insert({ ...one, exit: exit(message) })
  }
  const keys = (input: Readonly<Record<string, string>>) =>
    Effect.map(print(store, "list", { state: "failed", ...input }), (text) =>
      text.match(/^(old|middle|new)\b/gm)?.join(" ")
    )
  assert.strictEqual(yield* keys({}), "old middle new")
  assert.strictEqual(yield* keys({ newest: "true" }), "new middle old")
  assert.strictEqual(yield* keys({ since: "1970-01-01T00:00:02Z" }), "middle new")
  assert.strictEqual(yield* keys({ before: "1970-01-01T00:00:02Z" }), "old")
  assert.strictEqual(yield* keys({ failure: "blocked" }), "old new")
  assert.strictEqual(yield* keys({ failure: "unprocessable", limit: "1" }), "old")
  assert.match(yield* print(store, "list", { since: "yesterday" }), /^400: since /)
})
