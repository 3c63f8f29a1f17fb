import * as Activity from "@effect/workflow/Activity"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { once } from "./once.js"

const exitOf = once(
  <A extends Schema.Schema.Any, E extends Schema.Schema.All>(success: A, failure: E) =>
    Schema.ExitFromSelf({ success, failure, defect: Schema.Defect })
)

/** An activity whose schemas are compiled once, if `success` and `error` are the same each time. */
export const make = <A extends Schema.Schema.Any, E extends Schema.Schema.All, R>(options: {
  readonly name: string
  readonly success: A
  readonly error: E
  readonly execute: Effect.Effect<A["Type"], E["Type"], R>
}) => Object.assign(Activity.make(options), { exitSchema: exitOf(options.success, options.error) })
