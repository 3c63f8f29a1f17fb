/**
 * An interruption at any step is told, by the result or by a warning that says under which key or id
 * the write goes on; and a process that goes on with the key finds one effect.
 *
 * The steps are those of `Crash.test.ts`, and `CRASH_STRIDE=1` tries all of them here too.
 */
import * as crash from "./utils/crash.js"

crash.suite("interrupted", "is told, and done once when it goes on")
crash.suiteOfEnds()
crash.suiteOfCreations()
