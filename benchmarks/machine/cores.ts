// The cores that the server and the client are pinned to.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

export interface Cores {
  readonly server: number
  readonly client: number
}

/** Parses a list such as `0-3,8`. */
const parse = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [first = NaN, last = first] = part.split("-").map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })

const find = (): Cores | undefined => {
  const status = "/proc/self/status"
  if (!existsSync(status) || spawnSync("taskset", ["--version"]).status !== 0) return undefined
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(status, "utf8")) ?? []
  const allowed = parse(list)
  const [server] = allowed
  const client = allowed.at(-1)
  return server === undefined || client === undefined || server === client
    ? undefined
    : { server, client }
}

/** `undefined` if processes cannot be pinned, or if there is only one core. */
export const cores: Cores | undefined = find()
