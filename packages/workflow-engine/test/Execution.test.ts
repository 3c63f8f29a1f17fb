import { assert, it } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Execution from "../src/Execution.js"

const payload = { key: Schema.String }

it.effect.prop(
  "the id of an execution is the one that Effect gives it",
  { name: Schema.String, key: Schema.String },
  ({ key, name }) =>
    Effect.gen(function* () {
      const workflow = Workflow.make({ name, payload, idempotencyKey: ({ key }) => key })
      assert.strictEqual(Execution.idOf(name, key), yield* workflow.executionId({ key }))
    })
)
