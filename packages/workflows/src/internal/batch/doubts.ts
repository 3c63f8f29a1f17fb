import { exitJson } from "@manilla/workflow-engine/Encoding"
import * as Names from "@manilla/workflow-engine/Names"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Arr from "effect/Array"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { WriteError } from "../write.js"

/** A round that did not end the write. */
const decodeRound = Schema.decodeOption(
  exitJson(Schema.Struct({ error: WriteError }), Schema.Unknown)
)

/** The last error of a write that is open. */
export const lastError = (steps: ReadonlyArray<Store.Step>) => {
  const round = Arr.findLast(steps, ({ name }) => Names.parseStep(name)?.kind === "write")
  const exit = Option.getOrUndefined(Option.flatMap(round, ({ exit }) => decodeRound(exit)))
  return exit !== undefined && Exit.isSuccess(exit) ? exit.value.error : undefined
}
