// Prints what `followMatches` tells, a line of JSON each, with the token in the environment.
import { followMatches } from "./follow_matches.js";

const print = (said) => console.log(JSON.stringify(said));

followMatches({
  url: process.argv[2],
  newToken: async () => process.env.TOKEN,
  show: print,
  readAgain: () => print("read again"),
});
