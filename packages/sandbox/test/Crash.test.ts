/**
 * The process dies at each of its steps, and a new one goes on with the same key: one effect, the
 * same bytes, and a last word that agrees with the ledger.
 *
 * `CRASH_STRIDE=1` dies at every step of every fiber, two operations apart; otherwise at some of
 * them, and always at every point where the process waits for something.
 */
import { assert, describe, it } from "@effect/vitest"
import * as crash from "./utils/crash.js"

const stride = Number(process.env["CRASH_STRIDE"] ?? 307)

for (const [name, operation] of Object.entries(crash.operations)) {
  for (const [circumstances, faults] of Object.entries(crash.scenarios(operation.operation))) {
    for (const how of ["killed", "interrupted"] as const) {
      for (const step of ["boundary", "operation"] as const) {
        if (step === "operation" && circumstances !== "" && stride > 1) continue
        describe(`${name}${circumstances}`, () => {
          it(
            `${how} at ${step === "boundary" ? "every boundary" : "operations"}, is done once when it goes on`,
            async () => {
              const wrong: Array<string> = []
              const silent: Array<string> = []
              let deaths = 0
              const by = step === "operation" ? stride : 1
              for (let after = 0; ; after += by) {
                const result = await crash.trial(operation, faults, { after, how, step })
                wrong.push(...result.wrong.map((what) => `after ${after}: ${what}`))
                if (result.isSilent) silent.push(`after ${after}: ${result.requests.at(-1) ?? ""}`)
                if (result.hasEnded && result.steps < after) break
                deaths++
                if (after > 100_000) throw new Error("it never ends")
              }
              if (process.env["CRASH_VERBOSE"] !== undefined) {
                console.log(
                  name,
                  circumstances,
                  how,
                  step,
                  `${deaths} deaths`,
                  wrong.slice(0, 3),
                  `silent ${silent.length}`,
                  silent.slice(0, 3),
                  silent.at(-1)
                )
              }
              assert.deepStrictEqual(wrong, [])
              assert.isAtLeast(deaths, 3)
            },
            stride === 1 ? 600_000 : 180_000
          )
        })
      }
    }
  }
}
