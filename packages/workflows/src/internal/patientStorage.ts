import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { inspect } from "node:util"
import { persistently } from "./persistently.js"

/** A database that is away, locked or full. A broken constraint would be broken again. */
const isAway = <E>(error: E): error is Extract<E, PersistenceError> =>
  Predicate.isTagged(error, "PersistenceError") &&
  !inspect(error, { depth: 5 }).includes("SQLITE_CONSTRAINT")

/** The engine takes a failure of its storage for a defect of the workflow, and ends the execution. */
const patient = (
  storage: MessageStorage.MessageStorage["Type"]
): MessageStorage.MessageStorage["Type"] => ({
  ...storage,
  saveRequest: (request) => persistently(storage.saveRequest(request), isAway),
  saveEnvelope: (envelope) => persistently(storage.saveEnvelope(envelope), isAway),
  saveReply: (reply) => persistently(storage.saveReply(reply), isAway),
  clearReplies: (id) => persistently(storage.clearReplies(id), isAway),
  repliesFor: (requests) => persistently(storage.repliesFor(requests), isAway),
  repliesForUnfiltered: (ids) => persistently(storage.repliesForUnfiltered(ids), isAway),
  requestIdForPrimaryKey: (key) => persistently(storage.requestIdForPrimaryKey(key), isAway),
  unprocessedMessages: (shards) => persistently(storage.unprocessedMessages(shards), isAway),
  unprocessedMessagesById: (ids) => persistently(storage.unprocessedMessagesById(ids), isAway),
  resetShards: (shards) => persistently(storage.resetShards(shards), isAway),
  resetAddress: (address) => persistently(storage.resetAddress(address), isAway),
  clearAddress: (address) => persistently(storage.clearAddress(address), isAway)
})

/** The engine's messages in the database, with operations that wait until the database answers. */
export const layer = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.map(MessageStorage.MessageStorage, patient)
).pipe(Layer.provide(SqlMessageStorage.layer))
