import { assert, describe, it } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as input from "../src/internal/command/input.js"

const yaml = `# A rich and a poor wallet
wallets:
  - currency: XOF
    balance: 90071992547409931.1050
  - currency: XOF
    balance: 0
services:
  - country: { code: BJ, name: Benin }
    currency: { code: XOF, name: West African CFA franc }
    operation: PAYOUT
    payment_method: mtn_momo
    available: false
`

const read = (text: string) => readMade((file) => writeFileSync(file, text))

const readMade = (make: (file: string) => unknown) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-initial-"))),
    (folder) => {
      const file = join(folder, "initial.yaml")
      make(file)
      return Effect.mapError(input.readInitial(file), ({ message }) =>
        message.replace(file, "FILE")
      )
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

describe("initial state in YAML", () => {
  Test.effect("keeps every digit of an amount, without quotes", function* () {
    const { services, wallets } = yield* read(yaml)
    const balances = wallets?.map(({ balance }): string => balance)
    assert.deepStrictEqual(balances, ["90071992547409931.1050", "0.0000"])
    const listed = services?.map(({ available, country }) => [country.code, available])
    assert.deepStrictEqual(listed, [["BJ", false]])
  })

  it.live.skipIf(process.platform === "win32")("is not awaited from a FIFO", () =>
    Effect.gen(function* () {
      const fifo = readMade((file) => execFileSync("mkfifo", [file]))
      assert.include(yield* Effect.flip(fifo), "it is not a regular file")
    })
  )

  for (const [name, text, reason] of [
    [
      "an invalid field",
      yaml.replace("balance: 0", "balance: none"),
      `line 6: wallets.1.balance must be digits with at most 4 decimals, such as "1500" or "12.50"`
    ],
    [
      "a missing field",
      yaml.replace("    operation: PAYOUT\n", ""),
      "line 8: services.0.operation is required"
    ],
    [
      "two fields",
      yaml.replace("XOF", "francs").replace("available: false", "available: 0"),
      "line 3: wallets.0.currency must be"
    ],
    ["a bracket that is not closed", yaml.replace("Benin }", "Benin"), "line 9: "],
    ["a field that occurs twice", `${yaml}wallets: []\n`, "line 13: Map keys must be unique"],
    ["an unknown tag", yaml.replace("PAYOUT", "!op PAYOUT"), "line 10: Unresolved tag: !op"],
    ["an empty file", "", "line 1: "]
  ] as const) {
    Test.effect(`is refused with its line: ${name}`, function* () {
      const message = yield* Effect.flip(read(text))
      assert.include(message, `--initial cannot use FILE: ${reason}`)
      if (name === "two fields") assert.include(message, "; line 12: services.0.available must")
    })
  }
})
