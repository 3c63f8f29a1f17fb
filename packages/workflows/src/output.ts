/**
 * The output of the commands of this repository. It is no part of the interface of this package.
 *
 * @since 0.1.0
 */
import { stripVTControlCharacters } from "node:util"

/** Sentences of `@effect/cli` that say nothing about an option. */
const noise =
  / *(A (user-defined piece of text( that is confidential)?|true or false value)|This setting is optional)\.(\n\n|\n*$)/g

/**
 * The help of `@effect/cli` as plain text.
 *
 * @since 0.1.0
 * @category formatting
 */
export const help = (text: unknown): string =>
  stripVTControlCharacters(String(text))
    .trim()
    .replace(/^(\S+)\s+\1 [\d.]+\s+USAGE\s+\$ /, "$1 ")
    .replace(noise, "")

/**
 * Lets a command end with its own exit code if its output cannot be written. Only a command that reads ends at once: in
 * order if its reader has left, as in `manilla transactions list | head`, and otherwise with the exit code 1.
 *
 * @since 0.1.0
 * @category constructors
 */
export const survive = (isRead: boolean): void => {
  process.stderr.on("error", () => {})
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (isRead) process.exit(code === "EPIPE" ? 0 : 1)
  })
}
