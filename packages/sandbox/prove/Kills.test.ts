import { assert, it } from "vitest"
import * as kills from "./utils/kills.js"

it("a data file keeps everything that was answered, when the command is killed under load", async () => {
  const { answered } = await kills.run({ kills: 2, callers: 8 })
  assert.isAbove(answered, 0)
})
