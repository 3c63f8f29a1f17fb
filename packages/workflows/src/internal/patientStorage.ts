import { PersistenceError } from "@effect/cluster/ClusterError"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { persistently } from "./persistently.js"

/** The codes of an error and of its causes. */
const codesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.isRecord(error)
    ? [...(Predicate.isString(error["code"]) ? [error["code"]] : []), ...codesOf(error["cause"])]
    : []

/** What would fail again: a broken constraint, or data that PostgreSQL cannot store (classes 22 and 23). */
const isLasting = (code: string) => /^(SQLITE_CONSTRAINT|22|23)/.test(code)

/** A database that is away, locked or full. */
const isAway = <E>(error: E): error is Extract<E, PersistenceError> =>
  Predicate.isTagged(error, "PersistenceError") && !codesOf(error).some(isLasting)

/** A commit that fails is a defect of `SqlClient`. */
const failing = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | PersistenceError, R> =>
  Effect.catchAllDefect(effect, (defect) =>
    defect instanceof SqlError
      ? Effect.fail(new PersistenceError({ cause: defect }))
      : Effect.die(defect)
  )

const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) => persistently(failing(effect), isAway)

/** The engine takes a failure of its storage for a defect of the workflow, and ends the execution. */
const patient = (
  storage: MessageStorage.MessageStorage["Type"]
): MessageStorage.MessageStorage["Type"] => ({
  ...storage,
  saveRequest: (request) => patiently(storage.saveRequest(request)),
  saveEnvelope: (envelope) => patiently(storage.saveEnvelope(envelope)),
  saveReply: (reply) => patiently(storage.saveReply(reply)),
  clearReplies: (id) => patiently(storage.clearReplies(id)),
  repliesFor: (requests) => patiently(storage.repliesFor(requests)),
  repliesForUnfiltered: (ids) => patiently(storage.repliesForUnfiltered(ids)),
  requestIdForPrimaryKey: (key) => patiently(storage.requestIdForPrimaryKey(key)),
  unprocessedMessages: (shards) => patiently(storage.unprocessedMessages(shards)),
  unprocessedMessagesById: (ids) => patiently(storage.unprocessedMessagesById(ids)),
  resetShards: (shards) => patiently(storage.resetShards(shards)),
  resetAddress: (address) => patiently(storage.resetAddress(address)),
  clearAddress: (address) => patiently(storage.clearAddress(address))
})

/** The engine's messages in the database, with operations that wait until the database answers. */
export const layer = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.map(MessageStorage.MessageStorage, patient)
).pipe(Layer.provide(SqlMessageStorage.layer))
