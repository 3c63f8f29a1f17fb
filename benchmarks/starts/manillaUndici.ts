import * as UndiciClient from "@manilla/core/UndiciClient"
import { payOver } from "./manilla.js"

await payOver(UndiciClient.layer)
