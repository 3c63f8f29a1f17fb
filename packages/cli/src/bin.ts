#!/usr/bin/env node
/** `manilla`: the command for operators. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { main } from "./internal/main.js"

// The reader of a list may leave, as in `manilla transactions list | head`.
process.stdout.on("error", () => process.exit())

main(process.argv.slice(2)).pipe(
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 130)
  })
)
