/** Each sentence of a payroll, in English and French. A sentence that French lacks does not compile. */
import * as Config from "effect/Config"
import { english } from "../service.js"

const nameOf = (columns: ReadonlyArray<string>) => columns.join(", ")

/** The columns that the file of a payroll must have. */
const columns = {
  employee: "employee",
  amount: "amount",
  currency: "currency",
  country: "country",
  payment_method: "payment_method",
  phone: "phone"
}

export type Column = keyof typeof columns

const en = {
  dialogue: english,
  locale: "en",
  /** The locale of dates: English ones are written as in ISO 8601. */
  dates: "sv-SE",
  /** The files that the command writes. Spreadsheets read letters with accents after a byte order mark only. */
  csv: { bom: false, delimiter: "," },
  /** Between the digits of a number and its decimals. */
  point: ".",
  and: " and ",
  or: " or ",
  colon: ": ",
  warning: "Warning: ",
  more: (count: number) => `and ${count} more`,
  columns,
  rows: "rows",
  total: "total",
  /** The columns of the report, in their order. */
  headers: {
    line: "line",
    employee: "employee",
    name: "name",
    amount: "amount",
    currency: "currency",
    result: "result",
    reference: "reference",
    provider_reference: "provider_reference",
    reason: "reason",
    advice: "advice"
  },
  results: {
    paid: "paid",
    "not paid": "not paid",
    check: "check",
    sent: "sent",
    "in doubt": "in doubt",
    "not sent": "not sent"
  },
  counted: (count: number, result: string) => `${count} ${result}`,
  // Cells.
  line: (line: number) => `line ${line}`,
  lines: (ranges: string, count: number) => `${count === 1 ? "line" : "lines"} ${ranges}`,
  /** Without the cell if that is hidden. */
  cell: (column: string, cell: string, how: string) =>
    `, ${column}${cell === "" ? "" : ` "${cell}"`}: ${how}`,
  required: (columns: ReadonlyArray<string>) =>
    `: ${columns.map((column) => `${column} is required`).join("; ")}`,
  rule: (_column: Column, rule: string) => rule,
  tooNarrow: "its column is too narrow: widen it in the spreadsheet, and save the file again",
  sheetError: "it is an error of the spreadsheet: correct it there",
  formula: "it is a formula: save the values of the cells",
  cutAmount: "the spreadsheet has cut it: format the column as a number",
  notPositive: "write more than 0, or delete the row",
  manyDecimals: "write at most 4 digits after the point",
  withSign: (amount: string) => `write ${amount}. The currency has a column of its own`,
  digits: "write the digits 0 to 9 only, such as 101000 or 101000.50",
  otherUnit: (unit: string) =>
    `the header of the amounts has ${unit}: correct the header or the currency`,
  write: (text: string) => `write ${text}`,
  cutPhone:
    "the spreadsheet has cut the number. Format the column as text, and write the number again",
  trunkZero:
    "0 is not dialled after the code of this country: write the number as it is dialled from abroad",
  phone: "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00",
  forZero: (code: string) => `write +${code} in place of its first 0`,
  withoutCode: (code: string, country: string) =>
    `write +${code} before it, the code of ${country}`,
  // The table.
  bothMayBe: (one: string, other: string, column: string) =>
    `"${one}" and "${other}" may both be the column ${column}: give the wrong one another name`,
  noHeader: (columns: string) => `this is no header. Write above the rows: ${columns}`,
  noColumns: (missing: ReadonlyArray<string>, unread: ReadonlyArray<string>, columns: string) =>
    `${missing.length === 1 ? "there is no column" : "there are no columns"} ${nameOf(missing)}. ${unread.length === 0 ? "" : `Not recognised: ${nameOf(unread)}. `}Write the header as: ${columns}`,
  noRows: "It has no rows.",
  headerAt: (line: number) => `the header is on line ${line}: delete the lines before it`,
  openQuote: `a cell has a quotation mark (") that does not end. Write "" for one inside a cell, or remove it`,
  strayQuote: `a quotation mark (") is inside a cell: remove it, and others of this line like it`,
  workbook: "this is a workbook of a spreadsheet: open it there, and save it as CSV UTF-8",
  webPage: "this is a web page: open it in the spreadsheet, and save it as CSV UTF-8",
  document: "this is a text document: copy its table into a spreadsheet, and save it as CSV UTF-8",
  json: "this is JSON: write a table, with a row for each employee",
  encoding: "the letters cannot be read: save it in the spreadsheet as CSV UTF-8",
  isTotal: " is a total: delete it",
  isHeader: " is the header again: delete it",
  glued: (delimiter: string) =>
    ` is a single cell: put "${delimiter}" between its cells, and no quotation marks around the line`,
  oneCell: " has one cell only: delete it, or write the others",
  tooFew: (count: number, header: number) =>
    ` has ${count} cells, and the header has ${header}: write the missing ones`,
  tooMany: (count: number, header: number, delimiter: string) =>
    ` has ${count} cells, and the header has ${header}: put a cell that contains "${delimiter}" into quotation marks`,
  splitAmount:
    " may have one amount in two cells: put an amount with a comma into quotation marks, or move the column after it",
  refused: (file: string) => `Nothing was sent. Correct ${file}, and run the command again.`,
  reading: (line: number, written: string, amount: string) =>
    `line ${line}: the amount "${written}" is read as ${amount}.`,
  moreReadings: (count: number) => `${count} more amounts are read in the same way.`,
  unread: (columns: string) => `Columns that are not read: ${columns}.`,
  // Employees and phone numbers.
  alike: (first: number, isSame: boolean) =>
    `: employee must differ from that of line ${first}${isSame ? "" : ", which looks the same"}. Write the number of each employee, or one row with both amounts`,
  employeeAt: (employee: string, line: number) => `${employee} (line ${line})`,
  sharedPhone: (count: number, phone: string, rows: string) =>
    `${count} rows have the phone number ${phone}: ${rows}.`,
  morePhones: (count: number) => `${count} more phone numbers are in several rows.`,
  foreignPhones: (count: number, rows: string) =>
    `${count === 1 ? "1 row has" : `${count} rows have`} a phone number of another country than ${count === 1 ? "its" : "their"} own: ${rows}.`,
  // The catalogue.
  notOffered: (country: string | undefined) =>
    `the catalogue has no such payout${country === undefined ? "" : ` in ${country}`}`,
  writeInstead: (meant: string) => `. Write ${meant}`,
  itHas: (options: string) => `. It has ${options}`,
  closed: (method: string, country: string, count: number) =>
    `Payouts by ${method} in ${country} are unavailable now: ${count} ${count === 1 ? "row" : "rows"} may be refused.`,
  catalogueUnread: (cause: string) =>
    `The catalogue cannot be read (${cause}), so countries, currencies and payment methods are not checked.`,
  catalogueEmpty:
    "The catalogue lists no payouts, so countries, currencies and payment methods are not checked.",
  // Periods.
  badPeriod: "--period must have 1 to 50 letters, digits, dots, dashes and underscores.",
  noDate: (name: string) =>
    `The name ${name} has no date such as 2026-11 or 2026-11-13: add --period 2026-11.`,
  otherDigits: (name: string, found: string, others: string) =>
    `The name ${name} has the date ${found} and also ${others}, which may tell two payrolls of one date apart: add --period ${found}, or another one for each of them.`,
  unseen: (message: string, period: string, state: string) =>
    `${message}\nSo it cannot be seen whether the period ${period} has paid the same rows. If you know that it has not, move ${state} into another folder. Nothing was sent.`,
  newcomers: (count: number, total: number, period: string, names: string) =>
    `${count} of ${total} employees ${count === 1 ? "is" : "are"} not in the period ${period}: ${names}.`,
  repeated: (count: number, total: number, period: string, day: string, names: string) =>
    `${count} of ${total} rows pay the same employee or phone number the same amount as the period ${period}, which began on ${day}: ${names}.`,
  // Before the question.
  largest: (count: number) => `The largest of ${count} rows:`,
  noFile: (file: string) => `${file} cannot be read. Check its name, or write it with --template.`,
  noWallet: "--wallet or MANILLA_WALLET_ID must be the id of a wallet, a UUID.",
  noTemplate: (cause: string) => `The template cannot be written: ${cause}`,
  template: (file: string) =>
    `${file} has the columns. Add a row for each employee, such as E001,150000,XOF,BJ,mtn_momo,+2290100000000.`,
  totals: (rows: number, total: string, period: string, environment: string) =>
    `Rows: ${rows}. Total: ${total}. Period: ${period}. Environment: ${environment}.`,
  wallet: (wallet: string) =>
    `Wallet: ${wallet}.\nThe service does not tell its balance: compare it with the total.`,
  checked: "Checked. This command sent nothing.",
  payAgain: (period: string) => `Pay them again, for the period ${period}?`,
  pay: (remaining: number, total: number) =>
    `Pay the rows that are not paid yet, ${remaining} of ${total}?`,
  // The progress.
  bar: (ended: number, total: number, pending: number) =>
    `${ended} of ${total} ended, ${pending} pending`,
  paused: (resume: string) => `, paused until \`${resume}\``,
  notStored:
    "The state file cannot be written now, so nothing more is sent: free space on the disk, and close other programs that use the file. The payroll then goes on by itself.",
  unsent: (answer: string) =>
    `No row can be sent now: ${answer}. The payroll goes on by itself when that ends. Ctrl-C stops it, and the same command continues it.`,
  statusUnread: (answer: string) =>
    `The status of the pending rows cannot be read now: ${answer}. They were sent. The payroll goes on by itself when that ends.`,
  ofOther: "The key is that of another request, which may have paid the row.",
  noResponseYet: "no response yet",
  mayBeSent: "It may have been sent, and no process continues it now.",
  noResponse: "the service does not respond",
  responds: (code: string) => `the service responds with ${code}`,
  status: (status: string) => `status ${status}`,
  inDoubt: (count: number, answer: string) =>
    `${count} in doubt: ${answer} (the money may have moved)`,
  withNext: (subject: string, next: string) => `${subject}; ${next}`,
  isTried: "it is being tried",
  nextSeconds: (count: number) => `next try in ${count} s`,
  nextMinutes: (count: number) => `next try in ${count} min`,
  // The report, and the end.
  interrupted:
    "The payroll was interrupted, and never sends it: pay it from a new file, with another --period.",
  stopped:
    "The command was stopped: run it again, to its end, before you pay this in any other way.",
  check: "It may be paid. Ask the service before you pay it in any other way.",
  correct:
    "Unless this period was sent from another state file before, nothing was paid: put the corrected row into a new file, with another --period.",
  finalStatus: (status: string) => `The final status is ${status}.`,
  /** With the code and the message of the service. */
  refusal: (code: string, said: string | undefined) =>
    `The service responds with ${code}${said === undefined ? "." : `: ${said.replace(/[.!?]?$/, ".")}`}`,
  /** The reason in the report. The message of the error is English. */
  detailed: (message: string, _brief: string) => message,
  rowsAt: (count: number, ranges: string) => `${count} rows (lines ${ranges})`,
  defect: "It ended with a defect.",
  keyOfOther: (reason: string, key: string) =>
    `${reason} Its key, ${key}, belongs to another request.`,
  lastLook: (answer: string) => `At the last look, ${answer}.`,
  noReport: (cause: string) =>
    `The report cannot be written (${cause}): close it, and run the same command again.`,
  /** An error of the state file. Its message is English. */
  broken: (message: string) => message,
  notBegun: "This command sent nothing: run it again.",
  again: (state: string) => `The same command continues, and pays nobody twice. It needs ${state}.`,
  hasStopped: "Stopped: ",
  noResults: "the results cannot be read now",
  continued: (summary: string) => `Continued: ${summary} until now.`,
  report: (file: string) => `The report with each row is ${file}.`,
  differs: (message: string, _employees: string, file: string) =>
    `${message}\nThe batch is the period: restore ${file}. Pay a new or corrected row alone, from a new file with another --period. There, any other row would be paid again.`,
  unpaid: (count: number, total: number) =>
    `${count} of ${total} rows are not paid, or it is not certain that they are. Each says what to do.`
}

export type Words = typeof en

/** Sets the apostrophes of a French sentence, and the spaces at which no line breaks. Values in it stay as they are. */
const t = (parts: TemplateStringsArray, ...values: ReadonlyArray<string | number>): string =>
  String.raw(
    {
      raw: parts.map((part) =>
        part
          .replaceAll("'", "’")
          .replace(/ (?=[;!?])/g, "\u{202f}")
          .replace(/ (?=[:»])/g, "\u{a0}")
          .replaceAll("« ", "«\u{a0}")
      )
    },
    ...values.map((value) => (typeof value === "number" ? value.toLocaleString("fr") : value))
  )

/** A number with its noun. */
const n = (count: number, one: string, many: string): string =>
  t`${count} ${count < 2 ? one : many}`

const rows = (count: number) => n(count, "ligne", "lignes")

const rules: Record<Column, string> = {
  employee: t`écrivez 1 à 200 caractères`,
  amount: t`écrivez des chiffres, avec 4 décimales au plus`,
  currency: t`écrivez le code de la devise, en 3 lettres, comme XOF`,
  country: t`écrivez le code du pays, en 2 lettres, comme BJ`,
  payment_method: t`écrivez le code de l'opérateur, comme mtn_momo`,
  phone: t`écrivez 8 à 15 chiffres`
}

const fr: Words = {
  dialogue: {
    confirm: "(o/N)",
    isYes: /^(o|oui)$/i,
    unanswered: (message, option) =>
      t`${message} Une réponse est nécessaire : ajoutez ${option}, ou lancez la commande dans un terminal.`,
    stopped: t`Arrêt. Aucun envoi n'a été fait.`,
    notSet: (setting) => t`le réglage ${setting} manque`,
    wrong: (setting) => t`le réglage ${setting} est incorrect`,
    explained: t`\`manilla doctor\` explique les réglages.`,
    failure: (error) => {
      const { _tag, message } = (error._tag === "TokenUnavailableError" && error.cause) || error
      return _tag === "UnauthorizedError"
        ? t`Le service refuse les identifiants : copiez à nouveau MANILLA_CLIENT_ID et MANILLA_CLIENT_SECRET.`
        : _tag === "TransportError" || _tag === "TimeoutError"
          ? t`Le service est injoignable : vérifiez la connexion à internet. \`manilla doctor\` en cherche la cause.`
          : message.includes("MANILLA_ENVIRONMENT")
            ? t`Les identifiants ne sont pas ceux de l'environnement MANILLA_ENVIRONMENT : corrigez ce réglage, ou copiez les autres identifiants.`
            : message
    }
  },
  locale: "fr",
  dates: "fr",
  csv: { bom: true, delimiter: ";" },
  point: ",",
  and: " et ",
  or: " ou ",
  colon: t` : `,
  warning: t`Attention : `,
  more: (count) => t`et ${n(count, "autre", "autres")}`,
  columns: {
    employee: "employé",
    amount: "montant",
    currency: "devise",
    country: "pays",
    payment_method: "opérateur",
    phone: "téléphone"
  },
  rows: "lignes",
  total: "total",
  headers: {
    line: "ligne",
    employee: "employé",
    name: "nom",
    amount: "montant",
    currency: "devise",
    result: "résultat",
    reference: "référence",
    provider_reference: "référence de l’opérateur",
    reason: "motif",
    advice: "conseil"
  },
  results: {
    paid: "payée",
    "not paid": "non payée",
    check: "à vérifier",
    sent: "envoyée",
    "in doubt": "incertaine",
    "not sent": "non envoyée"
  },
  counted: (count, result) => n(count, result, result.replace(/e$/, "es")),
  line: (line) => t`ligne ${String(line)}`,
  lines: (ranges, count) => t`${count === 1 ? "ligne" : "lignes"} ${ranges}`,
  cell: (column, cell, how) => t`, ${column}${cell === "" ? "" : t` « ${cell} »`} : ${how}`,
  required: (columns) =>
    t` : ${columns.length < 2 ? "la cellule" : "les cellules"} ${nameOf(columns)} ${columns.length < 2 ? "est vide" : "sont vides"}`,
  rule: (column) => rules[column],
  tooNarrow: t`sa colonne est trop étroite : élargissez-la dans le tableur, puis enregistrez à nouveau le fichier`,
  sheetError: t`c'est une erreur du tableur : corrigez-la dans le tableur`,
  formula: t`c'est une formule : enregistrez les valeurs des cellules`,
  cutAmount: t`le tableur l'a tronqué : donnez à la colonne le format Nombre`,
  notPositive: t`écrivez un montant supérieur à 0, ou supprimez la ligne`,
  manyDecimals: t`écrivez au plus 4 chiffres après la virgule`,
  withSign: (amount) => t`écrivez ${amount}. La devise a sa propre colonne`,
  digits: t`écrivez seulement les chiffres de 0 à 9, comme 101000 ou 101000,50`,
  otherUnit: (unit) => t`l'en-tête des montants indique ${unit} : corrigez l'en-tête ou la devise`,
  write: (text) => t`écrivez ${text}`,
  cutPhone: t`le tableur a tronqué le numéro. Donnez à la colonne le format Texte, et saisissez à nouveau le numéro`,
  trunkZero: t`le 0 ne se compose pas après l'indicatif du pays : écrivez le numéro comme on l'appelle de l'étranger`,
  phone: t`écrivez 8 à 15 chiffres avec l'indicatif du pays, comme +229 01 00 00 00 00`,
  forZero: (code) => t`écrivez +${code} à la place du premier 0`,
  withoutCode: (code, country) => t`écrivez +${code} devant, l'indicatif du pays ${country}`,
  bothMayBe: (one, other, column) =>
    t`« ${one} » et « ${other} » peuvent tous deux être la colonne ${column} : renommez celle qui ne l'est pas`,
  noHeader: (columns) => t`ce n'est pas un en-tête. Écrivez au-dessus des lignes : ${columns}`,
  noColumns: (missing, unread, columns) =>
    t`il manque ${missing.length < 2 ? "la colonne" : "les colonnes"} ${nameOf(missing)}. ${unread.length === 0 ? "" : `Non reconnu : ${nameOf(unread)}. `}Écrivez l'en-tête ainsi : ${columns}`,
  noRows: t`Le fichier n'a aucune ligne.`,
  headerAt: (line) => t`l'en-tête est à la ligne ${line} : supprimez les lignes au-dessus`,
  openQuote: t`une cellule a un guillemet (") qui n'est pas fermé. Écrivez "" pour un guillemet dans une cellule, ou supprimez-le`,
  strayQuote: t`un guillemet (") est dans une cellule : supprimez-le, et les autres de cette ligne`,
  workbook: t`c'est un classeur de tableur : ouvrez-le, et enregistrez-le au format CSV UTF-8`,
  webPage: t`c'est une page web : ouvrez-la dans le tableur, et enregistrez-la au format CSV UTF-8`,
  document: t`c'est un document de texte : copiez son tableau dans un tableur, et enregistrez-le au format CSV UTF-8`,
  json: t`c'est du JSON : faites un tableau, avec une ligne par employé`,
  encoding: t`les lettres sont illisibles : enregistrez le fichier dans le tableur au format CSV UTF-8`,
  isTotal: t` est un total : supprimez-la`,
  isHeader: t` répète l'en-tête : supprimez-la`,
  glued: (delimiter) =>
    t` est une seule cellule : mettez « ${delimiter} » entre ses cellules, et aucun guillemet autour de la ligne`,
  oneCell: t` n'a qu'une cellule : supprimez-la, ou remplissez les autres`,
  tooFew: (count, header) =>
    t` a ${n(count, "cellule", "cellules")}, et l'en-tête en a ${header} : ajoutez celles qui manquent`,
  tooMany: (count, header, delimiter) =>
    t` a ${n(count, "cellule", "cellules")}, et l'en-tête en a ${header} : mettez entre guillemets la cellule qui contient « ${delimiter} »`,
  splitAmount: t` a peut-être un montant dans deux cellules : mettez entre guillemets un montant qui contient une virgule, ou déplacez la colonne qui le suit`,
  refused: (file) => t`Aucun envoi n'a été fait. Corrigez ${file}, et relancez la commande.`,
  reading: (line, written, amount) =>
    t`ligne ${String(line)} : le montant « ${written} » est lu ${amount}.`,
  moreReadings: (count) =>
    t`${n(count, "autre montant est lu", "autres montants sont lus")} de la même manière.`,
  unread: (columns) => t`Colonnes non lues : ${columns}.`,
  alike: (first, isSame) =>
    t` : l'employé doit être différent de celui de la ligne ${String(first)}${isSame ? "" : ", qui a le même aspect"}. Écrivez le numéro de chaque employé, ou une seule ligne avec les deux montants`,
  employeeAt: (employee, line) => t`${employee} (ligne ${String(line)})`,
  sharedPhone: (count, phone, all) =>
    t`${rows(count)} ont le numéro de téléphone ${phone} : ${all}.`,
  morePhones: (count) =>
    t`${n(count, "autre numéro de téléphone est", "autres numéros de téléphone sont")} sur plusieurs lignes.`,
  foreignPhones: (count, all) =>
    t`${n(count, "ligne a un numéro", "lignes ont un numéro")} de téléphone d'un autre pays que le leur : ${all}.`,
  notOffered: (country) =>
    t`le catalogue n'a pas ce type de paiement${country === undefined ? "" : ` pour le pays ${country}`}`,
  writeInstead: (meant) => t`. Écrivez ${meant}`,
  itHas: (options) => t`. Il propose ${options}`,
  closed: (method, country, count) =>
    t`Les paiements par ${method} pour le pays ${country} sont indisponibles pour le moment : ${n(count, "ligne risque d’être refusée", "lignes risquent d’être refusées")}.`,
  catalogueUnread: (cause) =>
    t`Le catalogue ne peut pas être lu (${cause}) : les pays, les devises et les opérateurs ne sont pas vérifiés.`,
  catalogueEmpty: t`Le catalogue n'a aucun paiement : les pays, les devises et les opérateurs ne sont pas vérifiés.`,
  badPeriod: t`--period doit avoir 1 à 50 lettres non accentuées, chiffres, points, tirets et tirets bas.`,
  noDate: (name) =>
    t`Le nom ${name} n'a pas de date comme 2026-11 ou 2026-11-13 : ajoutez --period 2026-11.`,
  otherDigits: (name, found, others) =>
    t`Le nom ${name} a la date ${found}, et aussi ${others}, qui peut distinguer deux paies de la même date : ajoutez --period ${found}, ou une autre période pour chacune.`,
  unseen: (_message, period, state) =>
    t`Le fichier d'état de la période ${period} ne peut pas être lu : impossible de voir si elle a payé les mêmes lignes. Si vous savez que non, déplacez ${state} dans un autre dossier. Aucun envoi n'a été fait.`,
  newcomers: (count, total, period, names) =>
    t`${n(count, "employé", "employés")} sur ${total} ${count < 2 ? "n’est" : "ne sont"} pas dans la période ${period} : ${names}.`,
  repeated: (count, total, period, day, names) =>
    t`${rows(count)} sur ${total} ${count < 2 ? "paie" : "paient"} au même employé ou au même numéro de téléphone le même montant que la période ${period}, commencée le ${day} : ${names}.`,
  largest: (count) => t`Les plus grands montants, sur ${rows(count)} :`,
  noFile: (file) =>
    t`${file} ne peut pas être lu. Vérifiez son nom, ou créez le fichier avec --template.`,
  noWallet: t`--wallet ou MANILLA_WALLET_ID doit être l'identifiant d'un portefeuille, un UUID.`,
  noTemplate: (cause) => t`Le modèle ne peut pas être écrit : ${cause}`,
  template: (file) =>
    t`${file} a les colonnes. Ajoutez une ligne par employé, comme E001;150000;XOF;BJ;mtn_momo;+2290100000000.`,
  totals: (count, total, period, environment) =>
    t`Lignes : ${count}. Total : ${total}. Période : ${period}. Environnement : ${environment}.`,
  wallet: (wallet) =>
    t`Portefeuille : ${wallet}.\nLe service n'indique pas son solde : comparez-le au total.`,
  checked: t`Vérification terminée. Aucun envoi n'a été fait.`,
  payAgain: (period) => t`Les payer à nouveau, pour la période ${period} ?`,
  pay: (remaining, total) =>
    t`Payer les lignes qui ne sont pas encore payées, ${remaining} sur ${total} ?`,
  bar: (ended, total, pending) =>
    t`${ended} sur ${n(total, "terminée", "terminées")}, ${pending} en attente`,
  paused: (resume) => t`, en pause jusqu'à \`${resume}\``,
  notStored: t`Le fichier d'état ne peut pas être écrit pour le moment : rien d'autre n'est envoyé. Libérez de l'espace sur le disque, et fermez les autres programmes qui utilisent ce fichier. La paie continue ensuite d'elle-même.`,
  unsent: (answer) =>
    t`Aucune ligne ne peut être envoyée pour le moment : ${answer}. La paie continue d'elle-même dès que possible. Ctrl-C l'arrête, et la même commande la continue.`,
  statusUnread: (answer) =>
    t`Le statut des lignes en attente ne peut pas être lu pour le moment : ${answer}. Elles sont envoyées. La paie continue d'elle-même dès que possible.`,
  ofOther: t`La clé est celle d'une autre requête, qui a peut-être payé la ligne.`,
  noResponseYet: t`pas encore de réponse`,
  mayBeSent: t`Elle est peut-être partie, et aucun processus ne la continue pour l'instant.`,
  noResponse: t`le service ne répond pas`,
  responds: (code) => t`le service répond ${code}`,
  status: (status) => t`le statut ${status}`,
  inDoubt: (count, answer) =>
    t`${n(count, "incertaine", "incertaines")} : ${answer} (l'argent est peut-être parti)`,
  withNext: (subject, next) => t`${subject} ; ${next}`,
  isTried: t`essai en cours`,
  nextSeconds: (count) => t`prochain essai dans ${count} s`,
  nextMinutes: (count) => t`prochain essai dans ${count} min`,
  interrupted: t`La paie a été interrompue, et ne l'enverra jamais : payez cette ligne depuis un nouveau fichier, avec un autre --period.`,
  stopped: t`La commande a été arrêtée : relancez-la, et laissez-la finir, avant de payer cette ligne par un autre moyen.`,
  check: t`Cette ligne est peut-être payée. Interrogez le service avant de la payer par un autre moyen.`,
  correct: t`Rien n'a été payé, sauf si cette période a déjà été envoyée avec un autre fichier d'état : mettez la ligne corrigée dans un nouveau fichier, avec un autre --period.`,
  finalStatus: (status) => t`Le statut final est ${status}.`,
  refusal: (code, said) =>
    t`Le service répond ${code}${said === undefined ? "." : t` : ${said.replace(/[.!?]?$/, ".")}`}`,
  detailed: (_message, brief) => brief,
  rowsAt: (count, ranges) => t`${rows(count)} (${ranges})`,
  defect: t`La ligne s'est terminée par une erreur interne.`,
  keyOfOther: (reason, key) => t`${reason} Sa clé, ${key}, appartient à une autre requête.`,
  lastLook: (answer) => t`À la dernière lecture, ${answer}.`,
  noReport: (cause) =>
    t`Le rapport ne peut pas être écrit (${cause}) : fermez-le, et relancez la même commande.`,
  broken: () =>
    t`Le fichier d'état ne peut pas être utilisé : libérez de l'espace sur le disque, vérifiez les droits d'accès, et fermez les autres programmes qui utilisent ce fichier.`,
  notBegun: t`Cette commande n'a rien envoyé : relancez-la.`,
  again: (state) =>
    t`La même commande continue, et ne paie personne deux fois. Elle a besoin de ${state}.`,
  hasStopped: t`Arrêt : `,
  noResults: t`les résultats ne peuvent pas être lus pour le moment`,
  continued: (summary) => t`Reprise : ${summary} jusqu'ici.`,
  report: (file) => t`Le rapport de chaque ligne est ${file}.`,
  differs: (_message, employees, file) =>
    t`La période a été commencée avec d'autres lignes. Employés concernés : ${employees}. Aucun envoi n'a été fait.\nRemettez ${file} dans son état initial. Payez une ligne nouvelle ou corrigée seule, depuis un nouveau fichier avec un autre --period : toute autre ligne y serait payée à nouveau.`,
  unpaid: (count, total) =>
    t`${rows(count)} sur ${total} ${count < 2 ? "n’est pas payée" : "ne sont pas payées"}, ou ce n'est pas certain. Chacune indique quoi faire.`
}

const languages = { en, fr }

export type Language = keyof typeof languages

export const of = (language: Language): Words => languages[language]

const text = (name: string) => Config.withDefault(Config.string(name), "")

/** The language of the locale, by the first of its variables that is set. */
export const language: Config.Config<Language> = Config.map(
  Config.all([text("LC_ALL"), text("LC_MESSAGES"), text("LANG")]),
  (locales) => (/^fr/i.test(locales.find((locale) => locale !== "") ?? "") ? "fr" : "en")
)

/** The first texts, and how many more there are. */
export const first = (
  all: ReadonlyArray<string>,
  most: number,
  more: (count: number) => string
): ReadonlyArray<string> =>
  all.length > most ? [...all.slice(0, most), more(all.length - most)] : all

/** Names in a sentence. */
export const listed = (all: ReadonlyArray<string>, words: Words): string =>
  first(all, 5, words.more).join(", ")

/** A number as the language writes it. */
export const decimal = (number: string, { point }: Words): string => number.replace(".", point)

/** An amount with its digits in groups, such as `6,275,000.50`. */
export const money = (amount: string, words: Words): string =>
  decimal(amount, words).replace(/^\d+/, (whole) => BigInt(whole).toLocaleString(words.locale))
