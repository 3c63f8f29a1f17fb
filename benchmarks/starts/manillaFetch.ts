import * as FetchClient from "@manilla/core/FetchClient"
import { payOver } from "./manilla.js"

await payOver(FetchClient.layer)
