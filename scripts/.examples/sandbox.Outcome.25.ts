import * as Outcome from "@manilla/sandbox/Outcome"

const numbers = Outcome.outcomes.map((outcome) => [outcome.name, Outcome.phoneNumber(outcome)])
