import type * as Batches from "@manilla/workflow-engine/Batches"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Batch from "../../Batch.js"
import { workflow } from "../../DisbursePayout.js"
import * as names from "../names.js"
import { WriteError } from "../write.js"
import * as rules from "./rules.js"

const itemsPerRead = 1_000

/** A round that did not end the write. */
const decodeRound = Schema.decodeOption(
  exitJson(Schema.Struct({ error: WriteError }), Schema.Unknown)
)

/** The last error of a write that is open. */
export const lastError = (steps: ReadonlyArray<Store.Step>) => {
  const round = Arr.findLast(steps, ({ name }) => names.roundPattern.exec(name)?.[1] === "write")
  const exit = Option.getOrUndefined(Option.flatMap(round, ({ exit }) => decodeRound(exit)))
  return exit !== undefined && Exit.isSuccess(exit) ? exit.value.error : undefined
}

/** The items of a batch whose outcome is unknown. */
export const doubtsOf = (store: Store.Store, batchKey: string) =>
  Effect.gen(function* () {
    const doubtOf = ({ key }: Batches.Item) =>
      Effect.gen(function* () {
        const businessKey = yield* rules.businessKey(batchKey, key)
        const found = yield* store.find({ workflow: workflow.name, businessKey })
        // It is about to be handed over.
        const none: Batch.Doubt = { key, error: undefined, nextMillis: undefined }
        if (Option.isNone(found)) return none
        const { dueMillis, executionId, pause } = found.value
        const isPaused = names.pausePattern.exec(pause ?? "")?.[1] === "carry-on"
        const error = lastError(yield* store.steps(executionId))
        return { key, error, nextMillis: isPaused ? dueMillis : undefined }
      })
    const items = yield* store.batches.read(batchKey, { states: ["unknown"] }, itemsPerRead)
    return yield* Effect.forEach(items, doubtOf)
  })
