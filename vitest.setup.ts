// Lets the event loop turn between tests: those of effects may all run without a turn, and Vitest fails a run
// whose worker does not answer for a minute.
import { setImmediate } from "node:timers/promises"
import { afterEach } from "vitest"

afterEach(() => setImmediate())
