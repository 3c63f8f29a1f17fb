import * as Sensitive from "@manilla/core/Sensitive"
import * as Schema from "effect/Schema"

const Payer = Schema.Struct({ phone_number: Schema.String.pipe(Sensitive.mark) })
