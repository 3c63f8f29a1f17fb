#!/usr/bin/env node
/** `manilla`: the command for operators. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as output from "@manilla/workflows/output"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { main } from "./internal/main.js"
import { entryOf } from "./internal/root.js"

const args = process.argv.slice(2)
output.survive(entryOf(args)?.isRead === true)

main(args).pipe(
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 130)
  })
)
