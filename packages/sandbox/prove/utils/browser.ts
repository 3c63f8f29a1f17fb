/**
 * A Chromium for tests. `@sparticuz/chromium` ships one for Linux on x64 with its fonts and the libraries
 * that a machine may lack, so nothing has to be installed. On other machines, the variable CHROMIUM names one.
 */
import { execFileSync } from "node:child_process"
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { createBrotliDecompress } from "node:zlib"
import { chromium } from "playwright-core"
import type { Browser } from "playwright-core"

const shipped = join(
  dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
  "../../bin"
)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(shipped, "../package.json"), "utf8")
)

const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url))
const folder = join(cache, `chromium-${version}`)

const decompress = (name: string, target: string, mode: number) =>
  pipeline(
    createReadStream(join(shipped, `${name}.br`)),
    createBrotliDecompress(),
    createWriteStream(target, { mode })
  )

/** Unpacks it once. Two processes that do so at the same time do not disturb each other. */
const unpack = async () => {
  if (existsSync(folder)) return
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, "unpacking-"))
  await decompress("chromium", join(work, "chromium"), 0o755)
  // The libraries are `lib/*.so`, the fonts `fonts/*/*.ttf`, and those for graphics belong beside the program.
  for (const name of ["al2023.tar", "fonts.tar", "swiftshader.tar"]) {
    const archive = join(work, name)
    await decompress(name, archive, 0o644)
    execFileSync("tar", ["--no-same-owner", "-xf", archive, "-C", work])
    rmSync(archive)
  }
  writeFileSync(
    join(work, "fonts.conf"),
    `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>`
  )
  try {
    renameSync(work, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(work, { recursive: true })
  }
}

const always = ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"]

/** Generous to a busy machine. */
const timeout = 120_000

const remedy =
  "Install Chromium or Chrome, and run: CHROMIUM=/usr/bin/chromium npm run prove, with its path."

/** Starts a browser, which the test must close. */
export const launch = async (...more: ReadonlyArray<string>): Promise<Browser> => {
  const args = [...always, ...more]
  const { CHROMIUM } = process.env
  if (CHROMIUM !== undefined) return chromium.launch({ executablePath: CHROMIUM, args, timeout })
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`The tests of the page have a browser for Linux on x64 only. ${remedy}`)
  }
  await unpack()
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, "lib"),
    FONTCONFIG_FILE: join(folder, "fonts.conf")
  }
  return chromium
    .launch({ executablePath: join(folder, "chromium"), args, env, timeout })
    .catch((cause: unknown) => {
      throw new Error(`The browser of the tests does not start here. ${remedy}`, { cause })
    })
}
