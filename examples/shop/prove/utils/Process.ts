/**
 * The shop in a process of its own, which can be killed.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))

/** One file starts ten times faster than the sources. */
const program = pathOf("node_modules/.kills/shop.mjs")

export const bundle = () =>
  build({
    entryPoints: [pathOf("src/main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@libsql/client", "undici"],
    // For packages that call `require`.
    banner: {
      js: 'import module from "node:module"; const require = module.createRequire(import.meta.url)'
    }
  })

export interface Running {
  readonly url: string
  /** Kills it with SIGKILL, and waits for its end. */
  readonly kill: () => Promise<void>
}

/** Starts the shop in a folder, and waits until it listens. */
export const start = (folder: string, env: Readonly<Record<string, string>>): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      env: { ...process.env, PORT: "0", ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = once(child, "exit")
    let printed = ""
    child.stdout.on("data", (chunk) => {
      printed += String(chunk)
      const [, url] = /Listening on (http:\/\/[\d.]+:\d+)/.exec(printed) ?? []
      if (url === undefined) return
      const kill = async () => {
        child.kill("SIGKILL")
        await ended
      }
      resolve({ url, kill })
    })
    ended.then(() => reject(new Error(`the shop ended early:\n${printed}`)), reject)
  })
