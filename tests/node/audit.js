// Runs the audits of graphql-http against the server at a URL, and prints each as a line of JSON.
import { serverAudits } from "graphql-http";

for (const audit of serverAudits({ url: process.argv[2] })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason }));
}
