/** The operations of the command and of the page, in memory. */
import { assert, it } from "@effect/vitest"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { forOperator } from "../../workflow-engine/src/internal/engineStore.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import { driver } from "../src/internal/operate/cli.js"
import { operations } from "../src/internal/operate/operations.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"

const Approval = Workflow.make({
  name: "Test/Approval/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

it.live("an execution that waits for a signal has no time at which it is due", () =>
  Effect.gen(function* () {
    const executions = yield* memoryStore.make
    const rows = (name: string, input: Readonly<Record<string, string>>) =>
      Effect.gen(function* () {
        const operation = operations[name]
        assert.isDefined(operation)
        const answer = yield* operation.run(forOperator(executions), input)
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
    const [summary] = yield* rows("summary", {})
    assert.strictEqual(summary?.["workflow"], "Test/Approval/1")
    assert.strictEqual(summary?.["waiting"], 1)
  })
)

it.live("control characters of a key reach no terminal", () =>
  Effect.gen(function* () {
    const executions = yield* memoryStore.make
    const key = "order\u001b]0;owned\u0007\u001b[2J"
    yield* Effect.gen(function* () {
      const operator = yield* Operator.of(Approval)
      yield* operator.start({ key })
    }).pipe(Effect.provide(engines.on(executions)))
    for (const name of ["list", "show", "resume"]) {
      const operation = operations[name]
      assert.isDefined(operation)
      const { text } = yield* operation.run(forOperator(executions), name === "list" ? {} : { key })
      const printed = Chunk.join(yield* Stream.runCollect(text), "\n")
      assert.include(printed, "order\u{fffd}]0;owned\u{fffd}\u{fffd}[2J", name)
      assert.notMatch(printed, /[^\n\P{Cc}]/u)
    }
  })
)

it.effect("a driver that is not installed is named", () =>
  Effect.gen(function* () {
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
)

it.effect.each(["order-\0", "order-\ud800"])(
  "a key that no database stores is refused: %j",
  (key) =>
    Effect.gen(function* () {
      const show = operations["show"]
      assert.isDefined(show)
      const refused = yield* Effect.flip(show.run(forOperator(yield* memoryStore.make), { key }))
      assert(refused._tag === "Refused")
      assert.strictEqual(refused.status, 400)
      assert.match(
        refused.message,
        /^key must be well-formed text, without a lone surrogate or the/
      )
    })
)
