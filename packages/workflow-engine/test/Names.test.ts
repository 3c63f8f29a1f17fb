import { assert, it } from "@effect/vitest"
import * as Names from "@manilla/workflow-engine/Names"
import * as Record from "effect/Record"

const id = "0123456789abcdef0123456789abcdef"
const of = "Shop.pay/2\n$&"

/** By kind: its parts, and how it is stored in every layout until now. */
const all: Readonly<Record<Names.Kind, readonly [parts: Names.Parts, stored: string]>> = {
  begin: [{ of, round: 12 }, `begin/${of}/12/1`],
  write: [{ of, round: 0 }, `write/${of}/0/1`],
  look: [{ of, round: 1 }, `look/${of}/1/1`],
  step: [{ of }, `step/${of}/1`],
  compensating: [{ of: "part 1" }, "compensating/part 1/1"],
  signal: [{ of }, `signal/${of}/1`],
  cancelled: [{ of }, `cancelled/${of}/1`],
  deferred: [{ of }, `deferred/${of}`],
  sent: [{ of, id }, `sent/${id}/${of}`],
  begun: [{ id }, `child/${id}/begun`],
  started: [{ id }, `child/${id}/started`],
  ended: [{ id }, `child/${id}/1`],
  awaited: [{ id }, `awaited/${id}`],
  carryOn: [{ of, round: 3 }, `carry-on/${of}/3`],
  wait: [{ of, round: 3 }, `wait/${of}/3`],
  sleep: [{ of }, `sleep/${of}`],
  child: [{ id }, `child/${id}`]
}

it.each(Record.toEntries(all))("the name of %s is read as it was made", (kind, [parts, stored]) => {
  const name = Names.make(kind, parts)
  assert.include([name, Names.stored(name)], stored)
  const read = Names.parseStep(stored) ?? Names.parsePause(stored)
  assert.deepInclude(read, { kind, ...parts })
})

it.each(["pay/1", "write/1", "step/1", "child/1f/begun", "child/notify/1", "begin/pay/1"])(
  "an activity that is stored as %s is no step of the engine",
  (name) => assert.isUndefined(Names.parseStep(name))
)
