// What the page says of each proof in the JSON list on the standard input: for a test beside `verify_deal`.
import { readFileSync } from "node:fs";
import { differences } from "../../static/js/deal/verify.js";

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, { encoding: "utf8" })).map(differences)));
