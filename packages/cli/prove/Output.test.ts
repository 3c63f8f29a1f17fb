/** Exit codes of the command as it is shipped, if its output cannot be written. */
import { assert, beforeAll, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as SandboxServer from "@manilla/sandbox/SandboxServer"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { sandbox, settings } from "../test/utils/manilla.js"
import { good, header, spreadsheet } from "../test/utils/payroll.js"
import { bundle, program } from "./utils/command.js"

// Magic amounts of the sandbox: a payout that fails, and insufficient funds.
const rows = ["1000", "999.9906", "999.9920"].map((amount, i) => good(`E${i}`, amount))

const csv = [header, ...rows].join("\n")

const payout = `--key k --wallet-id "$MANILLA_WALLET_ID" --currency XOF --country BJ \
  --payment-method mtn_momo --destination ${phone}`

beforeAll(() => Effect.runPromise(bundle))

/** The exit code of a line of bash, in which `manilla` is the command, beside the file of a payroll. */
const bash = (line: string) =>
  Effect.gen(function* () {
    const env = yield* settings
    const { folder } = yield* spreadsheet(csv)
    const script = `manilla() { "${process.execPath}" "${program}" "$@"; }; set -o pipefail; ${line}`
    const code = yield* Effect.async<number | null>((resume) => {
      spawn("bash", ["-c", script], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: "ignore"
      }).once("close", (code) => resume(Effect.succeed(code)))
    })
    return { code, isReported: existsSync(join(folder, "salaries-2026-11.report.csv")) }
  })

const on = <E>(options: SandboxServer.Options, test: Effect.Effect<void, E, Sandbox.Sandbox>) =>
  Effect.provide(test, sandbox(options))

it.live("a write whose log cannot be written says by its exit code that it may be applied", () =>
  on(
    {},
    Effect.gen(function* () {
      const { faults, payouts } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.dropAfter({ operation: "Payouts.create", count: "always" }))
      const create = `manilla payouts create ${payout} --amount 1000 2> /dev/full`
      assert.strictEqual((yield* Effect.scoped(bash(create))).code, 3)
      assert.lengthOf(yield* payouts, 1)
    })
  )
)

it.live("a payroll goes on although its reader has left, and ends with its own exit code", () =>
  on(
    { settleAfter: "1 second" },
    Effect.gen(function* () {
      for (const output of ["| grep -q Total", "2>&1 | head -n 1", "> /dev/full 2> /dev/full"]) {
        const pay = `manilla payroll salaries-2026-11.csv --yes ${output}`
        assert.deepStrictEqual(yield* Effect.scoped(bash(pay)), { code: 3, isReported: true })
      }
    })
  )
)

it.live("a command ends in order if its reader has left, and fails on a full disk", () =>
  on(
    {},
    Effect.gen(function* () {
      const codeOf = (output: string) =>
        Effect.map(
          Effect.scoped(bash(`manilla catalogue list --csv ${output}`)),
          ({ code }) => code
        )
      assert.strictEqual(yield* codeOf("| head -n 1"), 0)
      assert.strictEqual(yield* codeOf("2> /dev/full"), 0)
      assert.strictEqual(yield* codeOf("> /dev/full"), 1)
    })
  )
)
