/**
 * A short form of `npm run soak -- sandbox`.
 */
import { it } from "@effect/vitest"
import * as oneKey from "./utils/oneKey.js"

it.live("the sandbox makes one payment of 500 requests with one key at once, over sockets", () =>
  oneKey.run(500)
)
