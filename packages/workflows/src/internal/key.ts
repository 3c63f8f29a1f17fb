import { Storable } from "@manilla/workflow-engine/Text"
import * as Schema from "effect/Schema"

/** A key of the caller: 1 to 200 characters, without a space at either end. */
export const Key = Storable.pipe(
  Schema.filter((text) => text.length >= 1 && text.length <= 200, {
    description: "1 to 200 characters long"
  }),
  Schema.filter((text) => text.trim() === text, { description: "without a space at either end" })
)
