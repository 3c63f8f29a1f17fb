/**
 * An interruption at any task is reported, by the result or by a warning with the key or the id of the
 * write. A process that repeats the call with the same key finds one effect. `core/test/Interruption.test.ts`
 * interrupts a call at each operation of its fiber.
 */
import * as crash from "./utils/crash.js"

crash.suite()
