// Copies a starter of examples into a new folder.
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { runCommand } from "./cli.js"
import { packInto } from "./project.js"
import { copy, starters } from "./starters.js"

const name = Args.choice(
  starters.map((name): [string, string] => [name, name]),
  { name: "starter" }
)

const folder = Args.text({ name: "folder" }).pipe(Args.withDescription("the new folder"))

runCommand(
  Command.make("npm run starter --", { name, folder }, ({ folder, name }) =>
    Effect.sync(() => {
      const target = resolve(folder)
      if (existsSync(target)) throw new Error(`${target} exists already`)
      const tarballs = mkdtempSync(join(tmpdir(), "manilla-tarballs-"))
      packInto(tarballs)
      copy(name, target, tarballs)
      rmSync(tarballs, { recursive: true })
      console.log(`cd ${folder}\nnpm install\nnpm test\nnpm start`)
    })
  )
)
