/** An editor shows the names of types at a name, and not their members. */
import { assert, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const file = fileURLToPath(new URL("hover.ts", import.meta.url))

const source = `
import type * as Errors from "@manilla/core/Errors"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Refunds from "@manilla/refunds/Refunds"
import type * as ServiceApi from "@manilla/service/ServiceApi"

declare const payouts: Payouts.Service
declare const refunds: Refunds.Service
export const request = Payout.PayoutRequest
export const { create } = payouts
export const { get } = refunds
export type Write = ServiceApi.WriteName
`

const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => "",
  getScriptSnapshot: (name) => {
    const text = name === file ? source : ts.sys.readFile(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: []
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  ...(ts.sys.realpath !== undefined && { realpath: ts.sys.realpath })
})

/** The text that an editor shows at a name in the source. */
const shown = (name: string): string => {
  const at = source.search(new RegExp(`(?<=(const|type) (\\{ )?)${name}\\b`))
  const info = service.getQuickInfoAtPosition(file, at)
  return ts.displayPartsToString(info?.displayParts).replace(/\s+/g, " ")
}
it("a schema, a method and an error have their names", () => {
  assert.include(
    shown("request"),
    "wallet_id: Uuid; amount: Input; currency: Input; country: Input; payment_method: Text"
  )
  assert.notMatch(shown("request"), /filter</)
  assert.strictEqual(
    shown("create"),
    "const create: (request: Payout.PayoutRequest, options: Payouts.CreateOptions) => Effect<Payout.CreatedPayout, Errors.KeyedWriteError>"
  )
  assert.match(shown("get"), /=> Effect<Refund, Errors\.ReadError>$/)
  assert.match(shown("Write"), /^type Write = "Payments\.create" \| "Payouts\.create" \|/)
})
