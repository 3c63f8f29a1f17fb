import * as platform from "@effect/platform"
import { assert, it } from "@effect/vitest"
import * as core from "@manilla/core"
import * as payments from "@manilla/payments"
import * as payouts from "@manilla/payouts"
import * as ErrorTags from "@manilla/test-support/ErrorTags"
import * as engine from "@manilla/workflow-engine"
import * as postgres from "@manilla/workflow-engine/postgres"
import * as sqlite from "@manilla/workflow-engine/sqlite"
import * as workflows from "@manilla/workflows"

const clients = [core, payments, payouts].flatMap(ErrorTags.tagsIn)

it("the tags of errors are different from each other, and from those of the clients and of platform", () => {
  const own = ErrorTags.tagsIn({ ...engine, ...workflows, postgres, sqlite })
  assert.includeMembers(
    [...own],
    ["StorageError", "ItemsDiffer", "InvalidPolicy", "DatabaseUnavailable"]
  )
  assert.deepStrictEqual(ErrorTags.repeated(own), [])
  const others = new Set([...clients, ...ErrorTags.tagsIn(platform)])
  const shared = own.filter((tag) => others.has(tag))
  assert.deepStrictEqual(shared, [])
})
