/** What a payroll checks before anything is sent, and its report. */
import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { phone } from "@manilla/test-support/Sandboxed"
import * as Engine from "@manilla/workflow-engine/sqlite"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import { createClient, type Transaction } from "@libsql/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { pathToFileURL } from "node:url"
import * as columns from "../src/internal/payroll/columns.js"
import type { Row } from "../src/internal/payroll/file.js"
import * as preview from "../src/internal/payroll/preview.js"
import { of } from "../src/internal/payroll/words.js"
import { manilla, sandbox, test, tests } from "./utils/manilla.js"
import { good, header, spreadsheet } from "./utils/payroll.js"

const payouts = Effect.flatMap(Sandbox.Sandbox, ({ payouts }) => payouts)

type Service = readonly [country: string, currency: string, operation: string, method: string]

/** Runs the command on a spreadsheet with this text. */
const run = (text: string | Buffer, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const made = yield* spreadsheet(text)
    return { ...made, ...(yield* manilla(["payroll", made.file, ...args])) }
  })

/** Runs the command on a spreadsheet with these rows. */
const payroll = (rows: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  run([header, ...rows].join("\n"), ...args)

const reportOf = (file: string) => readFileSync(file.replace(".csv", ".report.csv"), "utf8")

/** Lets the catalogue have these services. */
const offers = (...services: ReadonlyArray<Service>) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) => {
    const rows = services.map(([country, currency, operation, payment_method]) => ({
      country: { code: country },
      currency: { code: currency },
      operation,
      payment_method,
      available: true
    }))
    const body = JSON.stringify({ success: true, data: { services: rows }, meta: {} })
    return faults.add(Fault.status(200, { operation: "Catalogue.list", count: "always", body }))
  })

/** The body of a refusal by the service. */
const refusalBody = (code: string) =>
  JSON.stringify({
    success: false,
    data: { error: { code, message: "Refused." } },
    meta: { correlation_id: null }
  })

const looksTheSame =
  "which looks the same. Write the number of each employee, or one row with both amounts"

/** Rows that are refused, by what is said of them. */
const refusals: Readonly<Record<string, ReadonlyArray<string>>> = {
  'line 2, amount "101,000": write 101000 or 101.0000': [good("E1", '"101,000"')],
  'line 2, amount "ten": write the digits 0 to 9 only': [good("E1", "ten")],
  'line 2, amount "0": write more than 0, or delete the row': [good("E1", "0")],
  "line 2, phone: the spreadsheet has cut the number. Format the column as text": [
    "E1,1,XOF,BJ,mtn_momo,2.29017E+12"
  ],
  // It begins with a dash.
  "line 2, phone: write 8 to 15 digits": ["E1,1,XOF,BJ,mtn_momo,-229 01 97 00 00 01"],
  // The other cells of its row are broken too.
  "line 3, phone: write 8 to 15 digits": [good("E0"), "E1,1,XOFF,BJ,mtn_momo,ask him"],
  "line 2, phone: write +229 before it, the code of BJ": ["E1,1,XOF,BJ,mtn_momo,97 00 00 01"],
  "line 2: phone is required": ["E1,1,XOF,BJ,mtn_momo,"],
  "line 2: employee is required": [",1,XOF,BJ,mtn_momo,1"],
  "line 3 is a total: delete it": [good("E1"), "TOTAL,1000,,,,"],
  'line 2 has 7 cells, and the header has 6: put a cell that contains "," into quotation marks': [
    `Ada, E1,1,XOF,BJ,mtn_momo,${phone}`
  ],
  "line 3 has 2 cells, and the header has 6": [good("E0", "x"), "E1,1"],
  "does not end": ['"E1,1'],
  'line 4, amount "y"': [good("E1"), good("E2", "x"), good("E3", "y")],
  "line 4: employee must differ from that of line 2": [good("E1"), good("E2"), good("E1", "5")],
  [`line 3: employee must differ from that of line 2, ${looksTheSame}\nline 5: employee must differ from that of line 4, ${looksTheSame}\nNothing was sent.`]:
    ["José", "Jose\u{301}", "ｅ1", " E1\u{200b}"].map((employee) => good(employee)),
  "has no rows": []
}

/** Two other names of a column. */
const pairs = [
  ["employee", "nom complet", "salarié"],
  ["amount", "salaire", "net"],
  ["amount", "montant net", "total"],
  ["payment_method", "méthode", "mode de paiement"],
  ["phone", "tel", "mobile"]
] as const

describe.each(["en", "fr"] as const)("two names of a column in the language %s", (language) => {
  const words = of(language)
  const problems = (names: ReadonlyArray<string>) => columns.find(names, words).problems

  it.each(pairs)(
    "are refused until one is renamed as told: %s, %s and %s",
    (column, one, other) => {
      const rest = columns.columns.filter((name) => name !== column)
      const name = words.columns[column]
      const both = (one: string, other: string) => [words.bothMayBe(one, other, name)]
      assert.deepStrictEqual(problems([...rest, one, other]), both(one, other))
      assert.deepStrictEqual(problems([...rest, one, "another name"]), [])
      // A name may stand beside the employee only.
      const beside = (other: string) => (column === "employee" ? [] : both(name, other))
      assert.deepStrictEqual(problems([...rest, name, other]), beside(other))
      assert.deepStrictEqual(problems([...rest, name, one]), beside(one))
    }
  )
})

describe("before anything is sent, a payroll", () => {
  for (const [said, rows] of Object.entries(refusals)) {
    test(`is refused: ${said}`, function* () {
      const { code, err } = yield* payroll(rows, "--yes")
      assert.strictEqual(code, 2)
      assert.include(err, said)
      assert.notInclude(err, phone)
      assert.lengthOf(yield* payouts, 0)
    })
  }

  test("names the columns that are missing, and those that may be meant", function* () {
    const names = "employe;name;Amount;money;country;payment_method;phone_number"
    const { code, err } = yield* run(`${names}\nE1;N;1;XOF;BJ;mtn_momo;${phone}`, "--yes")
    assert.strictEqual(code, 2)
    assert.include(
      err,
      'line 1: "employe" and "name" may both be the column employee: give the wrong one another name\n' +
        `line 1: there is no column currency. Not recognised: money. Write the header as: ${header}\nNothing was sent.`
    )
  })

  test("refuses a file in another encoding than UTF-8, or UTF-16 with its mark", function* () {
    for (const encoding of ["latin1", "utf16le"] as const) {
      const text = `${header}\n${good("Zoé")}`
      const { code, err } = yield* run(Buffer.from(text, encoding), "--yes")
      assert.strictEqual(code, 2)
      assert.include(err, "save it in the spreadsheet as CSV UTF-8\nNothing was sent.")
    }
    assert.lengthOf(yield* payouts, 0)
  })

  test("refuses a column twice, but not one that is ignored", function* () {
    const names = (last: string) => `${header},${last}\n${good("E1")},999999`
    const { code, err } = yield* run(names(" Amount"), "--yes")
    assert.strictEqual(code, 2)
    assert.include(err, '"amount" and "Amount" may both be the column amount')
    const { out } = yield* run(names("note,note").replace("999999", "a,b"))
    assert.include(out, "Rows: 1. Total: 1,000 XOF.")
    assert.lengthOf(yield* payouts, 0)
  })

  it.scopedLive.each([
    ["a decimal comma", "a;101 000,00;XOF;BJ;mtn_momo;PHONE", "101000.00", "101,000.00"],
    ["a narrow no-break space", "a;101\u202f000;XOF;BJ;mtn_momo;PHONE", "101000", "101,000"],
    ["points between thousands", "a;1.101.000;XOF;BJ;mtn_momo;PHONE", "1101000", "1,101,000"],
    ["points and a comma", "a;1.101,5;XOF;BJ;mtn_momo;PHONE", "1101.5", "1,101.5"],
    ["digits", "a;1000;XOF;BJ;mtn_momo;PHONE", "1000", "1,000"]
  ] as const)("reads French headers, and an amount with %s", ([, row, amount, total]) =>
    Effect.gen(function* () {
      const names = "sep=;\r\nNom;Montant;Devise;Pays;Opérateur;Téléphone"
      const text = `${names}\r\n${row.replace("PHONE", phone)}\r\n;;;;;\r\n`
      const { out } = yield* run(text)
      assert.include(out, `Rows: 1. Total: ${total} XOF`)
      if (amount !== "1000") assert.include(out, `is read as ${amount}.`)
    }).pipe(Effect.provide(sandbox()))
  )

  test("names the lines of a file with sep= and CRLF in their order", function* () {
    const text = ["sep=,", header, good("E1", "x"), "TOTAL,1,,,,", good("E2", "y")].join("\r\n")
    const { err } = yield* run(text, "--yes")
    assert.match(err, /^line 3, amount[^]*\nline 4 is a total[^]*\nline 5, amount/)
  })

  test("says where the header is, if a title is above it", function* () {
    const { code, err } = yield* run(`Salaries of November\n\n${header}\n${good("E1")}`, "--yes")
    assert.strictEqual(code, 2)
    assert.include(err, "the header is on line 3: delete the lines before it")
  })

  test("takes its period from a name with one date, and asks otherwise", function* () {
    const text = `${header}\n${good("E1")}`
    const named = (name: string) =>
      Effect.flatMap(spreadsheet(text, name), ({ file }) => manilla(["payroll", file]))
    const { out } = yield* named("wages-2026-11-13.csv")
    assert.include(out, "Period: 2026-11-13.")
    for (const [name, said] of [
      ["2026-11-06-to-2026-11-13", "has the date 2026-11-06 and also 2026-11-13, which may"],
      ["2026-11-06-13", "has the date 2026-11-06 and also 13, which may"],
      ["2026-11 week 2", "has the date 2026-11 and also 2, which may"],
      ["s2-2026-11", "has the date 2026-11 and also 2, which may"],
      ["salaires_v2-2026-11", "apart: add --period 2026-11, or another one for each"],
      ["11-2026", "has no date such as 2026-11 or 2026-11-13: add --period"],
      ["salaries", "has no date such as 2026-11 or 2026-11-13: add --period"]
    ] as const) {
      const { code, err } = yield* named(`${name}.csv`)
      assert.strictEqual(code, 2)
      assert.include(err, `The name ${name}.csv has`)
      assert.include(err, said)
    }
    const { err } = yield* run(text, "--period", "2026/11")
    assert.include(err, "--period must have 1 to 50 letters")
  })

  test("shows each row, with a part of its phone number", function* () {
    const { out } = yield* payroll([good("E1")])
    assert.include(out, `2  E1         1,000  XOF       BJ       mtn_momo        ****`)
    assert.match(out, / \*{8,}\d\d\n/)
    assert.notInclude(out, phone)
  })

  it.scopedLive.each([
    [
      "a payment method",
      "XOF,BJ,mtn_mono",
      'payment_method "mtn_mono": the catalogue has',
      "in BJ. Write mtn_momo"
    ],
    ["a currency", "USD,BJ,mtn_momo", 'currency "USD": the catalogue has', "in BJ. It has XOF"],
    ["a country", "XOF,FR,mtn_momo", 'country "FR": the catalogue has', "It has"]
  ] as const)("refuses %s that the catalogue does not have", ([, cells, said, remedy]) =>
    Effect.gen(function* () {
      const { code, err } = yield* run(`${header}\n${good("E1")}\nE2,5,${cells},${phone}`, "--yes")
      assert.strictEqual(code, 2)
      assert.include(err, `line 3, ${said} no such payout`)
      assert.include(err, remedy)
      assert.include(err, "Nothing was sent.")
      assert.lengthOf(yield* payouts, 0)
    }).pipe(Effect.provide(sandbox()))
  )

  test("names each column of a row that the catalogue does not have", function* () {
    const rows = [`E1,5,EUR,BJ,mtn_mono,${phone}`, `E2,5,XOF,FR,mtn_mono,${phone}`]
    const { err } = yield* payroll(rows, "--check")
    const none = "the catalogue has no such payout"
    assert.match(err, new RegExp(`^line 2, currency "EUR": ${none} in BJ. It has XOF$`, "m"))
    assert.match(err, new RegExp(`^line 2, payment_method "mtn_mono": ${none} in BJ.`, "m"))
    assert.match(err, new RegExp(`^line 3, country "FR": ${none}. It has `, "m"))
    assert.match(err, new RegExp(`^line 3, payment_method "mtn_mono": ${none}. Write`, "m"))
  })

  const mistaken = [
    header,
    `E1,x,XOF,BJ,mtn_mono,${phone}`,
    "TOTAL,1000,,,,",
    good("E2"),
    `e1,5,USD,BJ,mtn_momo,${phone}`
  ].join("\n")

  test("lists all mistakes of a file at once, in the order of its lines", function* () {
    const { code, err } = yield* run(mistaken, "--check")
    assert.strictEqual(code, 2)
    const none = "the catalogue has no such payout in BJ"
    assert.deepStrictEqual(err.split("\n").slice(0, -2), [
      'line 2, amount "x": write the digits 0 to 9 only, such as 101000 or 101000.50',
      `line 2, payment_method "mtn_mono": ${none}. Write mtn_momo`,
      "line 3 is a total: delete it",
      `line 5, currency "USD": ${none}. It has XOF`,
      `line 5: employee must differ from that of line 2, ${looksTheSame}`
    ])
  })

  test("says once what is wrong in many lines", function* () {
    const rows = Array.from({ length: 40 }, (_, i) => `E${i},1,XOF,BJ,mtn_mono,${phone}`)
    rows[9] = `E9,x,XOF,BJ,mtn_mono,${phone}`
    rows[19] = good("E19")
    const { err } = yield* payroll(rows, "--check")
    assert.deepStrictEqual(err.split("\n").slice(0, -2), [
      'lines 2–20, 22–41, payment_method "mtn_mono": the catalogue has no such payout in BJ. Write mtn_momo',
      'line 11, amount "x": write the digits 0 to 9 only, such as 101000 or 101000.50'
    ])
    const scattered = rows.map((row, i) => (i % 2 === 0 ? row : good(`E${i}`)))
    const other = yield* payroll(scattered, "--check")
    assert.match(other.err, /^lines 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, …, payment_method/)
  })

  it.scopedLive.each([
    ["the catalogue", "MANILLA_BASE_URL"],
    ["a token", "MANILLA_AUTH_URL"]
  ] as const)("lists the mistakes of a file also without %s, and what is not checked", ([, url]) =>
    Effect.gen(function* () {
      const { file } = yield* spreadsheet(mistaken)
      const { code, err } = yield* manilla(["payroll", file, "--yes"], {
        [url]: "http://127.0.0.1:1/api/v1"
      })
      assert.strictEqual(code, 2)
      assert.match(
        err,
        /^line 2, amount "x".*\nline 3 is a total.*\nline 5: employee must.*\nThe catalogue cannot be read \(.*\), so countries, currencies and payment methods are not checked\.\nNothing was sent\./
      )
    }).pipe(Effect.provide(sandbox()))
  )

  test("is compared with the catalogue by --check also when it has begun", function* () {
    const { file } = yield* payroll([good("E1")], "--yes")
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.status(403, { operation: "Catalogue.list" }))
    const { code, out } = yield* manilla(["payroll", file, "--check"])
    assert.strictEqual(code, 0)
    assert.include(out, "Warning: The catalogue cannot be read")
  })

  test("refuses a payment method that the catalogue has for collections only", function* () {
    yield* offers(["BJ", "XOF", "PAYOUT", "moov_money"], ["BJ", "XOF", "COLLECTION", "mtn_momo"])
    const { code, err } = yield* payroll([good("E1")], "--yes")
    assert.strictEqual(code, 2)
    assert.include(err, 'payment_method "mtn_momo": the catalogue has no such payout in BJ.')
  })

  test("goes on when it has begun, also if the catalogue no longer has its payouts", function* () {
    const { file } = yield* payroll([good("E1")], "--yes")
    yield* offers(["FR", "EUR", "PAYOUT", "card"])
    for (const option of ["--check", "--yes"]) {
      const { code, err } = yield* manilla(["payroll", file, option])
      assert.strictEqual(code, 0, err)
    }
  })

  it.effect("shows an option that may be left out in brackets", () =>
    Effect.map(manilla(["payroll", "--help"]), ({ out }) =>
      assert.include(out, "[--besides text...]")
    ).pipe(Effect.provide(sandbox()))
  )

  it.scopedLive.each([
    ["a catalogue that cannot be read", "The catalogue cannot be read", sandbox(), true],
    [
      "a catalogue without payouts",
      "The catalogue lists no payouts",
      sandbox({ services: [] }),
      false
    ]
  ] as const)("goes on with %s, and warns", ([, said, service, isRefused]) =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox.Sandbox
      if (isRefused) yield* faults.add(Fault.status(403, { operation: "Catalogue.list" }))
      const { code, out } = yield* payroll([good("E1")], "--check")
      assert.strictEqual(code, 0)
      assert.include(out, `Warning: ${said}`)
    }).pipe(Effect.provide(service))
  )

  test("shows the largest rows, the totals, and who is new", function* () {
    const people = Array.from({ length: 12 }, (_, i) => good(`E${i}`, String(1000 + i)))
    const first = yield* payroll(people, "--yes")
    const file = join(first.folder, "salaries-2026-12.csv")
    const others = [good("New", "1234567"), `Moov,5,XOF,BJ,moov_money,${phone}`]
    writeFileSync(file, [header, ...people, ...others].join("\n"))
    const { code, out } = yield* manilla(["payroll", file, "--check"])
    assert.strictEqual(code, 0)
    assert.match(out, /^The largest of 14 rows:\nline .*\n +14  New +1,234,567  XOF/)
    assert.notMatch(out, / E2 +1,002 /)
    assert.match(out, /mtn_momo +XOF +13  1,246,633\nmoov_money +XOF +1 +5\n/)
    assert.include(out, "2 of 14 employees are not in the period 2026-11: New, Moov.")
    assert.match(out, /Warning: 12 of 14 rows pay the same\s+employee\s+or\s+phone\s+number/)
    assert.match(out, /Total: 1,246,638 XOF.*Checked\. This command sent nothing\.\n$/s)
    assert.lengthOf(yield* payouts, 12)
  })

  test("writes a template once, without a row", function* () {
    const { folder } = yield* spreadsheet("")
    const file = join(folder, "payroll.csv")
    const { code, out } = yield* manilla(["payroll", file, "--template"])
    assert.strictEqual(code, 0)
    assert.include(out, "Add a row for each employee")
    assert.strictEqual(readFileSync(file, "utf8"), `${header}\n`)
    const again = yield* manilla(["payroll", file, "--template"])
    assert.deepStrictEqual([again.code, readFileSync(file, "utf8")], [2, `${header}\n`])
  })

  test("warns of a phone number that several rows have", function* () {
    const others = ["22901000001", "+22901000001", "22901000002"].map(
      (number, i) => `F${i},5,XOF,BJ,mtn_momo,${number}`
    )
    const many = Array.from({ length: 7 }, (_, i) => good(`E${i}`))
    const { out } = yield* payroll([...others, ...many])
    assert.include(
      out,
      "Warning: 2 rows have the phone number *********01: F0 (line 2), F1 (line 3)."
    )
    assert.include(out.replace(/\s+/g, " "), "E4 (line 9), and 2 more.")
    assert.strictEqual(out.split("Warning: ").length, 3)
    assert.isBelow(out.lastIndexOf("Warning: "), out.indexOf("Rows: 10."))
  })

  test("needs the id of a wallet", function* () {
    const { file } = yield* spreadsheet(`${header}\n${good("E1")}`)
    for (const wallet of [undefined, "my wallet"]) {
      const changes = { MANILLA_WALLET_ID: wallet }
      const { code, err } = yield* manilla(["payroll", file, "--yes"], changes)
      assert.strictEqual(code, 2)
      assert.strictEqual(err, "--wallet or MANILLA_WALLET_ID must be the id of a wallet, a UUID.\n")
    }
    assert.lengthOf(yield* payouts, 0)
  })

  test("needs a period and an answer", function* () {
    const text = `${header}\n${good("E1")}`
    const unnamed = yield* spreadsheet(text, "salaries.csv")
    assert.include((yield* manilla(["payroll", unnamed.file, "--yes"])).err, "add --period")
    const { code, err, folder, out } = yield* run(text)
    assert.lengthOf(readdirSync(folder), 1)
    assert.strictEqual(code, 2)
    assert.include(out, "Rows: 1. Total: 1,000 XOF. Period: 2026-11. Environment: SANDBOX.")
    assert.include(
      err,
      "Pay the rows that are not paid yet, 1 of 1? This needs an answer: add --yes"
    )
    assert.lengthOf(yield* payouts, 0)
  })
})

describe("the preview of a payroll in two currencies", () => {
  const words = of("en")
  const rowOf = (amount: string, currency: string, payment_method: string): Row => {
    const cells = { employee: "E1", amount, currency, country: "BJ", payment_method, phone }
    return { line: 2, cells, name: "", written: amount } as Row
  }
  const rows = [
    ...Array.from({ length: 11 }, () => rowOf("1000", "XOF", "mtn_momo")),
    rowOf("50", "USD", "mtn_momo"),
    rowOf("7", "USD", "card")
  ]

  it("adds no amount to one of another currency", () => {
    const total = preview.total(
      rows.map(({ cells }) => cells),
      words
    )
    assert.strictEqual(total, "11,000 XOF and 57 USD")
    const lines = preview.lines(rows, words).join("\n")
    assert.match(lines, /mtn_momo +XOF +11 +11,000\nmtn_momo +USD +1 +50\ncard +USD +1 +7/)
  })

  it("shows the largest rows of each", () => {
    const lines = preview.lines(rows, words)
    const inXof = lines.filter((line) => / 1,000  XOF /.test(line))
    assert.lengthOf(inXof, 10)
    const inUsd = lines.filter((line) => / (50|7)  USD /.test(line))
    assert.lengthOf(inUsd, 2)
  })
})

describe("a payroll", () => {
  test("reads semicolons and a byte order mark, and pays each row once", function* () {
    const rows = [good("E1"), good("É 2", "2.5")].map((row) => row.replaceAll(",", ";"))
    const text = `\u{feff}${header.replaceAll(",", ";")}\r\n${rows.join("\r\n")}\r\n`
    const { file, folder } = yield* spreadsheet(text)
    for (const run of [1, 2]) {
      // When all is paid, nothing is asked.
      const answer = run === 1 ? ["--yes"] : []
      const { code, err, out } = yield* manilla(["payroll", file, ...answer])
      assert.strictEqual(code, 0, err)
      assert.strictEqual(err.includes("Continued: 2 paid until now."), run === 2)
      assert.include(out, "2 paid.")
      assert.notInclude(out + err, phone)
    }
    const made = yield* payouts
    assert.sameDeepMembers(
      made.map(({ amount, destination, metadata }) => [
        amount,
        Redacted.value(destination),
        metadata
      ]),
      [
        ["1000.0000", phone, { payroll: "2026-11", employee: "E1" }],
        ["2.5000", phone, { payroll: "2026-11", employee: "É 2" }]
      ]
    )
    const report = join(folder, "salaries-2026-11.report.csv")
    assert.match(
      readFileSync(report, "utf8"),
      /^line,employee,amount,currency,result,reference,provider_reference,reason,advice\n2,E1,1000,XOF,paid,PYT-\w+,PRV-\w+,,\n/
    )
    for (const secret of [report, join(folder, "payroll-2026-11.sandbox.db")]) {
      assert.strictEqual(statSync(secret).mode & 0o777, 0o600)
    }
  })

  test("says what was not paid, and what may be", function* () {
    // Magic amounts of the sandbox: insufficient funds, and a payout that fails.
    const rows = [good("E1"), good("E2", "999.9920"), good("E3", "999.9906")]
    const { code, err, file, out } = yield* payroll(rows, "--yes")
    assert.strictEqual(code, 3)
    assert.match(
      out,
      /line 3, E2, 999\.9920 XOF: not paid\. The service responds with INSUFFICIENT_FUNDS: .*insufficient\s+funds/s
    )
    assert.notMatch(out, /correlation id/)
    assert.include(reportOf(file), "correlation id")
    assert.match(out, /line 4, E3, 999\.9906 XOF: check\. The final status is FAILED\.\n/)
    assert.match(out, /\nnot paid: Unless this period.*\ncheck: It may be paid\. Ask/s)
    assert.include(out, "1 paid, 1 not paid, 1 check.")
    assert.include(err, "2 of 3 rows are not paid, or it is not certain that they are")
  })

  test("says once what was refused for many rows, with their money", function* () {
    const refused = Array.from({ length: 6 }, (_, i) => good(`R${i}`, "999.9920"))
    const rows = [...refused, good("E1"), good("E2", "999.9925"), good("R9", "999.9920")]
    const { out } = yield* payroll(rows, "--yes")
    assert.match(out, /^7 rows \(lines 2–7, 10\), 6,999\.9440 XOF: not paid\. The service/m)
    assert.lengthOf(out.match(/INSUFFICIENT_FUNDS/g) ?? [], 1)
    assert.match(out, /^line 9, E2, 999\.9925 XOF: not paid\. .*ACCOUNT_BLOCKED/m)
  })

  test("names people beside the numbers of employees, in its lines and its report", function* () {
    const names = `matricule,prénom,nom,${header.slice(header.indexOf(",") + 1)}`
    const rows = [good("E1,Élodie,Kossi"), good("E2,José,", "999.9920")]
    const { file, out } = yield* run([names, ...rows].join("\n"), "--yes")
    assert.match(out, /line 3, E2 José, 999\.9920 XOF: not paid\./)
    const report = reportOf(file)
    assert.match(report, /^line,employee,name,amount,.*\n2,E1,Élodie Kossi,1000,.*\n3,E2,José,/)
    writeFileSync(file.replace("-11", "-12"), [names, ...rows].join("\n"))
    const next = yield* manilla(["payroll", file.replace("-11", "-12"), "--check"])
    assert.match(next.out.replace(/\s+/g, " "), /which began on [\d-]+: E1 Élodie Kossi\./)
  })

  test("says of a key of another request that it may have paid the row", function* () {
    const { file, folder } = yield* payroll([good("=1+1"), good("E2")], "--yes")
    rmSync(join(folder, "payroll-2026-11.sandbox.db"))
    writeFileSync(file, [header, good("=1+1", "1001"), good("E2")].join("\n"))
    const { code, err, out } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 3)
    assert.include(
      err,
      "line 2, =1+1, 1,001 XOF: check. The key is that of another request, which may have paid the row.\n"
    )
    assert.notInclude(err, "line 3,")
    assert.include(out.replace(/\s+/g, " "), "check. The key is that of another request, which")
    const key = "PayoutBatch:manilla-payroll%3A2026-11:%3D1%2B1"
    const report = reportOf(file)
    assert.include(report, "\n2,'=1+1,1001,XOF,check,")
    assert.include(report, `Its key, ${key}, belongs to another request.`)
    assert.lengthOf(yield* payouts, 2)
  })

  test("says of many keys of other requests how many they are, also while it pays", function* () {
    const rows = (amount: string) =>
      [header, ...Array.from({ length: 40 }, (_, i) => good(`E${i}`, amount))].join("\n")
    const { file, folder } = yield* run(rows("1000"), "--yes")
    rmSync(join(folder, "payroll-2026-11.sandbox.db"))
    writeFileSync(file, rows("1001"))
    const { err, out } = yield* manilla(["payroll", file, "--yes"])
    for (const text of [err, out]) {
      assert.match(text, /^40 rows \(lines 2–41\), 40,040 XOF: check\. The key is that/m)
      assert.isBelow(text.match(/The key is that/g)?.length ?? 0, 8)
    }
  })

  test("does not send other rows under the period that was paid", function* () {
    const { file } = yield* payroll([good("E1")], "--yes")
    writeFileSync(file, `${header}\n${good("E1", "9")}`)
    const { code, err } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 1)
    assert.include(err, "was started with other items: E1 has another amount")
    assert.include(err, "There, any other row would be paid again.")
    assert.lengthOf(yield* payouts, 1)
  })

  test("ends with 3 if all is paid and the report cannot be written", function* () {
    const { file, folder } = yield* spreadsheet([header, good("E1")].join("\n"))
    mkdirSync(join(folder, "salaries-2026-11.report.csv"))
    const { code, out } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 3)
    assert.include(out, "\n1 paid.\n")
  })

  test("prints its results although the report cannot be written", function* () {
    const rows = [good("E1"), good("E3", "999.9906")]
    const { file, folder } = yield* spreadsheet([header, ...rows].join("\n"))
    mkdirSync(join(folder, "salaries-2026-11.report.csv"))
    const { code, err, out } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 3)
    assert.match(out, /line 3, E3, 999\.9906 XOF: check\..*1 paid, 1 check\./s)
    assert.match(err, /The report cannot be written \(.*\): close it, and run the same command/)
  })

  test("keeps its report for the owner although an earlier one was readable", function* () {
    const { file, folder } = yield* spreadsheet(`${header}\n${good("E1")}`)
    const report = join(folder, "salaries-2026-11.report.csv")
    writeFileSync(report, "old", { mode: 0o644 })
    yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(statSync(report).mode & 0o777, 0o600)
  })
})

describe("in French, a payroll", () => {
  it.scopedLive.each([
    [{ MANILLA_CLIENT_ID: undefined }, 2, "le réglage MANILLA_CLIENT_ID manque."],
    [{ MANILLA_ENVIRONMENT: "x" }, 2, "le réglage MANILLA_ENVIRONMENT est incorrect."],
    [
      { MANILLA_ENVIRONMENT: "LIVE" },
      1,
      "Les identifiants ne sont pas ceux de l’environnement MANILLA_ENVIRONMENT"
    ],
    [{ MANILLA_BASE_URL: "x" }, 2, "le réglage MANILLA_BASE_URL est incorrect."],
    [{ MANILLA_CLIENT_SECRET: "wrong" }, 1, "Le service refuse les identifiants"],
    [{ MANILLA_AUTH_URL: "http://127.0.0.1:1/api/v1" }, 1, "Le service est injoignable"]
  ] as const)("tells in French of %o", ([changes, code, said]) =>
    Effect.gen(function* () {
      const { file } = yield* spreadsheet([header, good("E1")].join("\n"))
      const printed = yield* manilla(["payroll", file, "--lang", "fr", "--check"], changes)
      assert.strictEqual(printed.code, code)
      assert.include(printed.err, said)
      assert.match(printed.err, /^Le|^le/)
    }).pipe(Effect.provide(sandbox()))
  )

  const french = { LC_ALL: "", LANG: "fr_BJ.UTF-8" }

  test("writes a template that it reads, with its question", function* () {
    const { folder } = yield* spreadsheet("")
    const file = join(folder, "paie-2026-11.csv")
    yield* manilla(["payroll", file, "--template"], french)
    const names = "\u{feff}employé;montant;devise;pays;opérateur;téléphone\n"
    assert.strictEqual(readFileSync(file, "utf8"), names)
    writeFileSync(file, `${names}E1;1250000,50;XOF;BJ;mtn_momo;${phone}\n`)
    const { code, err, out } = yield* manilla(["payroll", file], french)
    assert.strictEqual(code, 2)
    assert.include(out, "Total\u{a0}: 1\u{202f}250\u{202f}000,50 XOF")
    assert.include(err, "Payer les lignes qui ne sont pas encore payées, 1 sur 1\u{202f}?")
    assert.include(err, "Une réponse est nécessaire\u{a0}: ajoutez --yes")
    const english = yield* manilla(["payroll", file, "--lang", "en"], french)
    assert.include(english.out, "Total: 1,250,000.50 XOF")
    assert.include((yield* manilla(["payroll", file], { ...french, LC_ALL: "C" })).out, "Total: ")
    assert.lengthOf(yield* payouts, 0)
  })

  test("writes its results and its report", function* () {
    const rows = [good("E1", "2.5"), good("E2", "999.9920"), good("E3", "999.9906")]
    const { file } = yield* spreadsheet([header, ...rows].join("\n"))
    const { code, err, out } = yield* manilla(["payroll", file, "--yes"], french)
    assert.strictEqual(code, 3)
    assert.match(err, /3 sur 3 terminées, 0 en attente/)
    assert.match(
      out,
      /^ligne 3, E2, 999,9920 XOF\u{a0}: non payée\. Le service répond INSUFFICIENT_FUNDS\u{a0}: /mu
    )
    assert.match(
      out,
      /^ligne 4, E3, 999,9906 XOF\u{a0}: à vérifier\. Le statut final est FAILED\.$/mu
    )
    assert.match(out, /^1 payée, 1 non payée, 1 à vérifier\.$/m)
    assert.include(err, "2 lignes sur 3 ne sont pas payées, ou ce n’est pas certain.")
    const report = reportOf(file)
    assert.match(
      report,
      /^\u{feff}ligne;employé;montant;devise;résultat;référence;référence de l’opérateur;motif;conseil\n2;E1;2,5;XOF;payée;PYT-/u
    )
    writeFileSync(file, [header, good("E1", "7")].join("\n"))
    const other = yield* manilla(["payroll", file, "--yes"], french)
    assert.include(other.err, "Employés concernés\u{a0}: E")
  })
})

describe("the same rows in another period", () => {
  const rows = [header, good("José"), good("E2", "1000.50"), good("E3")].join("\n")
  const paid = (text = rows) =>
    Effect.tap(spreadsheet(text, "salaries-2026-11-25.csv"), ({ file }) =>
      manilla(["payroll", file, "--yes"])
    )
  const next = (folder: string, text: string, ...options: ReadonlyArray<string>) => {
    const file = join(folder, "salaries-2026-11-26.csv")
    writeFileSync(file, text)
    return manilla(["payroll", file, "--yes", ...options])
  }

  test("are a question that --yes does not answer", function* () {
    const { folder } = yield* paid()
    const again = [header, good("jose\u{301}"), good("E2", "1000.5"), good("E3", "7")].join("\n")
    for (const options of [[], ["--besides", "2026-11-24"]]) {
      const { code, err, out } = yield* next(folder, again, ...options)
      assert.strictEqual(code, 2)
      assert.match(
        out.replace(/\s+/g, " "),
        /Warning: 2 of 3 rows pay the same employee or phone number the same amount as the period 2026-11-25, which began on \d{4}-\d\d-\d\d: jose\u{301}, E2\./u
      )
      assert.include(
        err,
        "This needs an answer: add --besides 2026-11-25, or run it in a terminal."
      )
      assert.lengthOf(yield* payouts, 3)
    }
    const { code } = yield* next(folder, again, "--besides", "2026-11-25")
    assert.strictEqual(code, 0)
    assert.lengthOf(yield* payouts, 6)
    // It goes on without this answer, and a check still tells it.
    assert.strictEqual((yield* next(folder, again)).code, 0)
    assert.include((yield* next(folder, again, "--check")).out, "Warning: 2 of 3 rows")
  })

  test("are a question if an employee has a number in one file and a name in the other", function* () {
    const { folder } = yield* paid([header, good("José")].join("\n"))
    const numbers = `matricule,nom,${header.slice(header.indexOf(",") + 1)}`
    const row = (amount: string) => `E1,José,${good("", amount).slice(1).replace("+", "")}`
    const { code, out } = yield* next(folder, [numbers, row("1000.00")].join("\n"))
    assert.strictEqual(code, 2)
    assert.match(out, /Warning: 1 of 1 rows pay the same/)
    assert.strictEqual((yield* next(folder, [numbers, row("1001")].join("\n"))).code, 0)
  })

  test("are no question if others are paid, or they were not", function* () {
    // A magic amount of the sandbox: insufficient funds.
    const { folder } = yield* paid([header, good("E1"), good("E2", "999.9920")].join("\n"))
    const other = [header, good("E1", "1001"), good("E2", "999.9920")].join("\n")
    const { code, out } = yield* next(folder, other)
    assert.notStrictEqual(code, 2, out)
    assert.notMatch(out, /Warning: \d of/)
    assert.lengthOf(yield* payouts, 2)
  })

  test("are paid beside the empty state files of processes that were killed at once", function* () {
    const { folder } = yield* spreadsheet(rows)
    for (const period of ["2026-11-24", "2026-11-26"]) {
      writeFileSync(join(folder, `payroll-${period}.sandbox.db`), "")
    }
    const { code, err } = yield* next(folder, rows)
    assert.strictEqual(code, 0, err)
    assert.lengthOf(yield* payouts, 3)
  })

  test("are not compared with what cannot be read", function* () {
    const { folder } = yield* spreadsheet(rows)
    const state = join(folder, "payroll-2026-10.sandbox.db")
    writeFileSync(state, "no database")
    const { code, err } = yield* next(folder, rows)
    assert.strictEqual(code, 2)
    assert.include(err, `move ${state} into another folder. Nothing was sent.`)
    assert.lengthOf(yield* payouts, 0)
  })
})

describe("a question", () => {
  /** Answers as a terminal does. In its raw mode, Ctrl-C right after the answer would be a character that nobody reads. */
  const terminal = (answer: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const before = Object.getOwnPropertyDescriptor(process, "stdin") ?? assert.fail("no stdin")
        const setRawMode = () => assert.fail("the terminal is in raw mode")
        const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
        stdin.write(answer)
        Object.defineProperty(process, "stdin", { value: stdin, configurable: true })
        return before
      }),
      (before) => Effect.sync(() => Object.defineProperty(process, "stdin", before))
    )

  for (const [answer, code] of [
    ["y\n", 0],
    ["n\n", 1],
    ["yes, but not E1\n", 1],
    ["\n", 1]
  ] as const) {
    test(`leaves the terminal as it is, and ${JSON.stringify(answer)} ends with ${code}`, function* () {
      const { file } = yield* spreadsheet([header, good("E1")].join("\n"))
      yield* terminal(answer)
      const { code: exit, err } = yield* manilla(["payroll", file])
      assert.strictEqual(exit, code, err)
      assert.lengthOf(yield* payouts, code === 0 ? 1 : 0)
    })
  }
})

describe("before the first row, a payroll sends nothing", () => {
  test("if its state file cannot be made, and says so in its language", function* () {
    const { file, folder } = yield* spreadsheet([header, good("E1")].join("\n"))
    // As on a full disk, no journal can be made.
    for (const suffix of ["journal", "wal"]) {
      mkdirSync(join(folder, `payroll-2026-11.sandbox.db-${suffix}`))
    }
    for (const [lang, said] of [
      ["en", /the database cannot be used[^]*This command sent nothing: run it again\./],
      ["fr", /^Le fichier d’état ne peut pas être utilisé[^]*Cette commande n’a rien envoyé/]
    ] as const) {
      const { code, err } = yield* manilla(["payroll", file, "--yes", "--lang", lang])
      assert.match(err, said)
      assert.strictEqual(code, 1)
    }
    assert.lengthOf(yield* payouts, 0)
  })

  test("if it is stopped after the question, and says so", function* () {
    const { file } = yield* spreadsheet([header, good("E1")].join("\n"))
    let said = ""
    const running = yield* Effect.fork(
      manilla(["payroll", file, "--yes"], {}, (text) => {
        said += `${text}\n`
        return text.startsWith("Rows: 1.") ? Effect.never : Effect.void
      })
    )
    yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => said.includes("Rows: 1.") })
    yield* Fiber.interrupt(running)
    assert.match(said, /\nStopped\. This command sent nothing\.\n$/)
    assert.lengthOf(yield* payouts, 0)
  })
})

test("a payroll has other keys than the batch of a program for this period", function* () {
  yield* payroll([good("E007")], "--yes")
  const [made] = yield* payouts
  assert.strictEqual(made?.idempotency_key, "PayoutBatch:manilla-payroll%3A2026-11:E007")
})

/** A payroll that was stopped when the service had refused the first rows for now. */
const stopped = (count: number) =>
  Effect.gen(function* () {
    const rows = Array.from({ length: count }, (_, i) => good(`E${i}`))
    const { file, folder } = yield* spreadsheet([header, ...rows].join("\n"))
    const { exchanges, faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.status(429, { operation: "Payouts.create", count: "always" }))
    const running = yield* Effect.fork(manilla(["payroll", file, "--yes"]))
    const sent = Effect.map(
      exchanges,
      (all) => all.filter(({ operation }) => operation === "Payouts.create").length
    )
    yield* Effect.repeat(Effect.delay(sent, "20 millis"), { until: (count) => count >= 10 })
    yield* Fiber.interrupt(running)
    const report = reportOf(file)
    assert.include(report, 'not sent,,,,"The command was stopped: run it again, to its end')
    assert.notInclude(report, "never sends it")
    yield* faults.clear
    const state = join(folder, "payroll-2026-11.sandbox.db")
    /** As `manilla-workflows` does. */
    const operate = (name: "interrupt" | "pause" | "resume") =>
      Effect.flatMap(PayoutBatch.PayoutBatch, (batches) =>
        batches[name]("manilla-payroll:2026-11")
      ).pipe(
        Effect.provide(PayoutBatch.layerOperator),
        Effect.provide(Layer.fresh(Engine.layerSqlite({ file: state }))),
        Effect.orDie
      )
    return { file, operate, sent, state }
  })

it.scopedLive.each([
  ["INSUFFICIENT_FUNDS", false],
  ["IDEMPOTENCY_KEY_REUSED", true]
] as const)("a payroll in doubt says that the service responds with %s", ([code, isOfOther]) =>
  Effect.gen(function* () {
    const text = [header, good("E1"), good("E2")].join("\n")
    const { file } = yield* spreadsheet(text)
    const { faults } = yield* Sandbox.Sandbox
    const operation = "Payouts.create"
    // Each first response is lost, and the request is refused after that.
    const body = refusalBody(code)
    yield* faults.add(Fault.dropAfter({ operation, count: 2 }))
    yield* faults.add(Fault.status(422, { operation, count: "always", body }))
    let said = ""
    const running = yield* Effect.fork(
      manilla(["payroll", file, "--yes"], {}, (text) =>
        Effect.sync(() => void (said += `${text}\n`))
      )
    )
    yield* Effect.repeat(Effect.sleep("50 millis"), {
      until: () => said.includes("2 in doubt: the service responds with")
    })
    assert.match(
      said,
      new RegExp(
        `^2 in doubt: the service responds with ${code} \\(the money may have moved\\); (next try in \\d+ s|it is being tried)$`,
        "m"
      )
    )
    for (const row of ["line 2, E1", "line 3, E2"]) {
      const times = said.split(`${row}, 1,000 XOF: in doubt. The key is that of another`).length - 1
      assert.strictEqual(times, isOfOther ? 1 : 0)
    }
    yield* Fiber.interrupt(running)
    assert.match(said, /Stopped: 0 paid, 2 in doubt\./)
    const report = reportOf(file)
    assert.include(
      report,
      `\n2,E1,1000,XOF,in doubt,,,"At the last look, the service responds with ${code}.",It may be paid.`
    )
  }).pipe(Effect.provide(sandbox()))
)

it.scopedLive.each([
  ["the service limits requests", [["Payouts.create", 429, "always"]], "RATE_LIMITED"],
  [
    "the credentials are revoked",
    // The refusal of the token makes the command obtain another one.
    [
      ["Payouts.create", 401, 1],
      ["Token.obtain", 401, "always"]
    ],
    "INVALID_CREDENTIALS"
  ]
] as const)("a payroll says that no row can be sent while %s, and goes on", ([, refusals, code]) =>
  Effect.gen(function* () {
    const { file } = yield* spreadsheet([header, good("E1"), good("E2")].join("\n"))
    const { faults } = yield* Sandbox.Sandbox
    const body = refusalBody(code)
    const refuse = Effect.forEach(refusals, ([operation, status, count]) =>
      faults.add(Fault.status(status, { operation, count, body }))
    )
    const refused = `No row can be sent now: the service responds with ${code}.`
    const follow = (text: string) =>
      text.startsWith("Rows: 2.") ? refuse : text.startsWith(refused) ? faults.clear : Effect.void
    const { code: exit, err } = yield* manilla(["payroll", file, "--yes"], {}, (text) =>
      Effect.asVoid(Effect.orDie(follow(text)))
    )
    assert.strictEqual(exit, 0, err)
    assert.lengthOf(err.match(/No row can be sent now/g) ?? [], 1)
    // A line of a log, with its time, would break that of the progress.
    assert.notMatch(err, /^\d\d:\d\d:\d\d/m)
    assert.lengthOf(yield* payouts, 2)
  }).pipe(Effect.provide(sandbox()))
)

for (const [title, operation, status, code] of [
  ["the service limits requests", "Payouts.get", 429, "RATE_LIMITED"],
  ["the service is down", "Payouts.get", 503, "DOWN"],
  ["the credentials are revoked", "Token.obtain", 401, "INVALID_CREDENTIALS"]
] as const) {
  test(`a payroll says that no status can be read while ${title}`, function* () {
    const { file } = yield* spreadsheet([header, good("E1"), good("E2")].join("\n"))
    const { faults } = yield* Sandbox.Sandbox
    const body = refusalBody(code)
    if (status === 401) yield* faults.add(Fault.status(401, { operation: "Payouts.get" }))
    const refuse = Effect.orDie(
      faults.add(Fault.status(status, { operation, count: "always", body }))
    )
    let said = ""
    const running = yield* Effect.fork(
      manilla(["payroll", file, "--yes"], {}, (text) => {
        said += `${text}\n`
        return text.startsWith("Rows: 2.") ? Effect.asVoid(refuse) : Effect.void
      })
    )
    yield* Effect.repeat(Effect.sleep("50 millis"), {
      until: () => said.includes(`cannot be read now: the service responds with ${code}.`)
    })
    yield* Fiber.interrupt(running)
    const report = reportOf(file)
    const reason = `"At the last look, the service responds with ${code}."`
    assert.include(report, `\n2,E1,1000,XOF,sent,,,${reason},It may be paid.`)
  })
}

tests({ settleAfter: "1 second" })(
  "a payroll whose state file cannot be written says so, and goes on",
  function* () {
    const rows = Array.from({ length: 200 }, (_, i) => good(`E${i}`))
    const { file, folder } = yield* spreadsheet([header, ...rows].join("\n"))
    const url = pathToFileURL(join(folder, "payroll-2026-11.sandbox.db")).href
    let lock: Transaction | undefined
    const follow = (text: string) =>
      Effect.promise(async () => {
        if (text.includes("of 200 ended")) lock ??= await createClient({ url }).transaction("write")
        if (text.includes("The state file cannot be written now")) await lock?.rollback()
      })
    const { code, err } = yield* manilla(["payroll", file, "--yes"], {}, follow)
    assert.strictEqual(code, 0)
    assert.include(err, "The state file cannot be written now, so nothing more is sent")
    assert.lengthOf(yield* payouts, 200)
  }
)

describe("a payroll that was stopped", () => {
  test("and interrupted for good says that the other rows are never sent", function* () {
    const { file, operate } = yield* stopped(30)
    yield* operate("interrupt")
    const { code, out } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 3)
    assert.match(
      out,
      /\nnot sent: The payroll was interrupted, and never sends it: pay it from a new/
    )
    assert.notInclude(reportOf(file), "continues")
    assert.isBelow((yield* payouts).length, 30)
  })

  test("and paused asks for what is left, and says how it is resumed", function* () {
    const { file, operate, state } = yield* stopped(30)
    yield* operate("pause")
    const quoted = state.replace("l'équipe", "l'\\''équipe")
    const resume = `paused until \`manilla-workflows resume manilla-payroll:2026-11 --sqlite '${quoted}'\``
    const follow = (text: string) => (text.includes(resume) ? operate("resume") : Effect.void)
    const asked = yield* manilla(["payroll", file], {}, follow)
    assert.strictEqual(asked.code, 2)
    assert.match(asked.err, /Pay the rows that are not paid yet, [1-9]\d* of 30\?/)
    const { code, err } = yield* manilla(["payroll", file, "--yes"], {}, follow)
    assert.strictEqual(code, 0)
    assert.include(err, resume)
    assert.lengthOf(yield* payouts, 30)
  })

  test("sends nothing of its file if that was changed", function* () {
    const { file, sent } = yield* stopped(5_000)
    const before = yield* sent
    writeFileSync(file, readFileSync(file, "utf8").replace("E4999,1000", "E4999,9"))
    const { code, err } = yield* manilla(["payroll", file, "--yes"])
    assert.strictEqual(code, 1)
    assert.include(err, "E4999 has another amount. Nothing was sent.")
    assert.strictEqual(yield* sent, before)
  })
})
