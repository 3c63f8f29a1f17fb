/** The payments of other periods, and those that are left in this one. */
import { assert, describe, it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { Row } from "../src/internal/payroll/file.js"
import * as periods from "../src/internal/payroll/periods.js"
import { of } from "../src/internal/payroll/words.js"
import { manilla, test } from "./utils/manilla.js"
import { folder, good, header, spreadsheet } from "./utils/payroll.js"

const words = of("en")

const row = {
  line: 2,
  name: "",
  cells: { employee: "E1", amount: "1000", currency: "XOF", phone }
} as Row

const request = JSON.stringify({ amount: "1000.00", currency: "XOF", destination: phone })

/** A period with one item. */
const stored = (phase: Batches.Phase, state: Batches.State): periods.Stored => ({
  state: "file",
  period: "2026-10",
  batch: { epoch: 1, phase, total: 1, started: 0, ended: null },
  items: [{ number: 0, key: "E1", request, state, sent: null, reference: null, result: null }]
})

type Asked = readonly [isCompared: boolean, isLeft: boolean]

/** Whether an item is compared with the same one of another period, and whether it is left to pay. */
const states: Record<Batches.State, { readonly open: Asked; readonly over: Asked }> = {
  // It will be sent, unless the batch sends no others.
  waiting: { open: [true, true], over: [false, false] },
  sending: { open: [true, true], over: [true, true] },
  created: { open: [true, true], over: [true, true] },
  unknown: { open: [true, true], over: [true, true] },
  pending: { open: [true, true], over: [true, true] },
  completed: { open: [true, false], over: [true, false] },
  notCompleted: { open: [true, false], over: [true, false] },
  failed: { open: [false, false], over: [false, false] },
  inDoubt: { open: [true, false], over: [true, false] },
  purged: { open: [true, false], over: [true, false] }
}

const phases = { open: ["running", "paused"], over: ["interrupted", "ended"] } as const

describe.each(Record.toEntries(states))("an item in the state %s", (state, expected) => {
  for (const [name, some] of Record.toEntries(phases)) {
    for (const phase of some) {
      const [isCompared, isLeft] = expected[name]
      Test.effect(`of a batch that is ${phase}: ${isCompared}, ${isLeft}`, function* () {
        const other = stored(phase, state)
        const found = yield* periods.repeated([row], [other], words)
        assert.lengthOf(found, isCompared ? 1 : 0)
        assert.strictEqual(periods.remaining(other), isLeft ? 1 : 0)
      })
    }
  }
})

const read: Record<Batches.Phase, string> = {
  // Nothing of it was sent.
  storing: "none",
  running: "found",
  paused: "found",
  interrupted: "found",
  ended: "found",
  purged: "ExecutionPurged"
}

/** Stores a payroll without rows beside others. */
const store = (path: string, period: string, started: number, phase: Batches.Phase) =>
  Effect.gen(function* () {
    const state = periods.stateOf(path, period, "SANDBOX")
    const batches = yield* Sqlite.batches(state)
    yield* batches.insert(periods.batchKeyOf(period), started)
    yield* batches.change(periods.batchKeyOf(period), { phase }, {})
    return state
  })

it.scoped.each(Record.toEntries(read))("a payroll that is %s is read: %s", ([phase, expected]) =>
  Effect.gen(function* () {
    const state = yield* store(yield* folder, "2026-11", 0, phase)
    const end = Effect.match(periods.read(state, "2026-11"), {
      onFailure: ({ _tag }) => String(_tag),
      onSuccess: (found) => (Option.isSome(found) ? "found" : "none")
    })
    assert.strictEqual(yield* end, expected)
  })
)

Test.effect("the last one of other periods comes first", function* () {
  const path = yield* folder
  for (const [period, started] of [
    ["2026-08", 1],
    ["2026-10", 3],
    ["2026-09", 2]
  ] as const) {
    yield* store(path, period, started, "ended")
  }
  const found = yield* periods.recent(path, "2026-11", "SANDBOX", words)
  const names = found.map(({ period }) => period)
  assert.deepStrictEqual(names, ["2026-10", "2026-09", "2026-08"])
})

it.each([
  ["E1", 0],
  ["e1", 0],
  ["E2", 1]
])("beside a period with E1, %s makes %i sentences about who is new", (employee, count) => {
  const rows: ReadonlyArray<Row> = [{ ...row, cells: { ...row.cells, employee } }]
  assert.lengthOf(periods.newcomers(rows, [stored("ended", "completed")], words), count)
})

describe("a row that another period has paid", () => {
  it.effect.each([
    ["the same row", {}, true],
    ["the same amount, written in another way", { amount: "1000.0" }, true],
    ["the same employee with another phone number", { phone: "+2290199999999" }, true],
    ["a twin with another phone number", { employee: "\u{ff45}1", phone: "+2290199999999" }, true],
    ["the same phone number of another employee", { employee: "E2" }, true],
    ["the same phone number without its plus", { employee: "E2", phone: phone.slice(1) }, true],
    ["another person", { employee: "E2", phone: "+2290199999999" }, false],
    ["another amount", { amount: "1001" }, false],
    ["another currency", { currency: "XAF" }, false]
  ] as const)("is a question: %s", ([, changes, isAsked]) =>
    Effect.gen(function* () {
      const changed: Row = { ...row, cells: { ...row.cells, ...changes } }
      const found = yield* periods.repeated([changed], [stored("ended", "completed")], words)
      assert.lengthOf(found, isAsked ? 1 : 0)
    })
  )
})

Test.effect("a row is compared with each payment to a phone of several employees", function* () {
  const other = stored("ended", "completed")
  const items = ["1000", "2000"].flatMap((amount, number) =>
    other.items.map((item) => ({
      ...item,
      number,
      key: `E${number}`,
      request: JSON.stringify({ amount, currency: "XOF", destination: phone })
    }))
  )
  for (const amount of ["1000", "2000"]) {
    const changed: Row = { ...row, cells: { ...row.cells, employee: "E9", amount } }
    assert.lengthOf(yield* periods.repeated([changed], [{ ...other, items }], words), 1)
  }
})

test("a period is compared for 40 days", function* () {
  const { file, folder: path } = yield* spreadsheet(
    `${header}\n${good("E1")}`,
    "salaries-2026-10.csv"
  )
  assert.strictEqual((yield* manilla(["payroll", file, "--yes"])).code, 0)
  const own = yield* periods.read(periods.stateOf(path, "2026-10", "SANDBOX"), "2026-10")
  const { started } = Option.getOrThrow(own).batch
  const clock = yield* Effect.clock
  for (const [days, count] of [
    [39, 1],
    [41, 0]
  ] as const) {
    const now = started + Duration.toMillis(`${days} days`)
    const then: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      currentTimeMillis: Effect.succeed(now),
      currentTimeNanos: clock.currentTimeNanos,
      sleep: (duration) => clock.sleep(duration),
      unsafeCurrentTimeMillis: () => now,
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
    }
    const recent = periods.recent(path, "2026-11", "SANDBOX", words)
    assert.lengthOf(yield* Effect.withClock(recent, then), count, `${days} days`)
    const found = yield* Effect.withClock(periods.recent(path, "2026-11", "LIVE", words), then)
    assert.lengthOf(found, 0)
  }
  assert.lengthOf(yield* Effect.flatMap(Sandbox.Sandbox, ({ payouts }) => payouts), 1)
})
