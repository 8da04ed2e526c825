// PostGraphile serves the functions of the schema `peer`: node server.mjs URL PORT
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";

// All that it uses of Node 22 which Node 20 lacks.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const [url, port] = process.argv.slice(2);
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: url, schemas: ["peer"] })],
  schema: { defaultBehavior: "-connection +list +resource:list" },
  grafserv: { graphiql: false, watch: false },
});
await instance.getSchemaResult();
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(port), "127.0.0.1");
